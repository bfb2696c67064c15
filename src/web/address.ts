import { signal } from '@preact/signals';

/**
 * Where the reader is: `#/timeline?run=0&from=1.5&to=3`. Everything that makes a page look as it
 * does stands in it, so that a reload or a link shows the same.
 */
export interface Address {
  /** Empty where the reader named none. */
  readonly page: string;
  readonly state: PageState;
}

/** Plain words by name; a page reads and writes what it knows and leaves the rest alone. */
export type PageState = Readonly<Record<string, string>>;
export type StatePatch = Readonly<Record<string, string | number | null | undefined>>;
/** What to change, or what to make of the state as it is by then: two keys may come before one drawing. */
export type StateChange = StatePatch | ((now: PageState) => StatePatch);

export const address = signal<Address>(parse(location.hash));

addEventListener('hashchange', () => {
  address.value = parse(location.hash);
});

/** `null` and `undefined` take a key away. A step that the reader would want to go back from pushes. */
export function setState(change: StateChange, how: 'replace' | 'push' = 'replace'): void {
  const { page, state } = address.peek();
  go(page, merged(state, typeof change === 'function' ? change(state) : change), how);
}

/** To another page; only the run and the moment are the same there. */
export function openPage(page: string, patch: StatePatch = {}): void {
  const { run } = address.peek().state;
  go(page, merged(run === undefined ? {} : { run }, patch), 'push');
}

/** Names the page that was chosen for a reader who named none, so that it stays while more is learned. */
export function settleOn(page: string): void {
  go(page, address.peek().state, 'replace');
}

export function hrefOf(page: string, patch: StatePatch = {}): string {
  const { run } = address.value.state;
  return format({ page, state: merged(run === undefined ? {} : { run }, patch) });
}

function go(page: string, state: PageState, how: 'replace' | 'push'): void {
  const next = { page, state };
  const hash = format(next);
  if (hash === location.hash) return;
  if (how === 'push') history.pushState(null, '', hash);
  else history.replaceState(null, '', hash);
  address.value = next;
}

function merged(state: PageState, patch: StatePatch): PageState {
  const next: Record<string, string> = { ...state };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null || value === undefined || value === '') delete next[key];
    else next[key] = String(value);
  }
  return next;
}

function format({ page, state }: Address): string {
  const query = new URLSearchParams(state).toString();
  return `#/${encodeURIComponent(page)}${query === '' ? '' : `?${query}`}`;
}

function parse(hash: string): Address {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  return {
    page: unescaped(path),
    state: Object.fromEntries(new URLSearchParams(query)),
  };
}

/** As it stands where it is no escaped text: a page of that name will not be found. */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
