import { signal } from '@preact/signals';
import { decodeColumns } from '../model/columns.ts';
import type { InputsInfo } from '../model/inputs-info.ts';
import { type Embedded, embedded, viewerScripts } from './embedded.ts';
import { ViewerWorker } from './viewer-worker-client.ts';

/** What went wrong, as the server said it. */
class StoreError extends Error {}

export type Query = Readonly<Record<string, string | number | null | undefined>>;

/**
 * Where data comes from: a server, or the page itself when it is a one-file report. Pages do not
 * know which. `path` is `run/0/timeline` or `job/compare`.
 */
export interface Store {
  readonly inputs: { readonly value: InputsInfo | null };
  /** Why there are none. */
  readonly failure: { readonly value: string | null };
  /** JSON-able data, or Columns. */
  get<T = unknown>(path: string, query?: Query, abort?: AbortSignal): Promise<T>;
  /** A worker by the name of its file, `map-worker`. */
  worker(name: string): Worker;
  /** Stops the opening of an input; null where there is nothing to stop. */
  cancel: ((run: string) => Promise<void>) | null;
  /** Opens files of the reader's machine in the place of what is shown; null where the page cannot. */
  open: ((files: readonly File[]) => void) | null;
}

const GONE = 'highwater has ended, and this page shows what it had; highwater view opens it again';

const inputs = signal<InputsInfo | null>(null);
const failure = signal<string | null>(null);

function served(): Store {
  let last: string | null = null;
  const show = (text: string) => {
    if (text === last) return;
    last = text;
    inputs.value = JSON.parse(text);
    failure.value = null;
  };
  const ask = async () => {
    const before = last;
    try {
      const response = await fetch('api/job');
      if (!response.ok) throw new StoreError(await reason(response));
      const text = await response.text();
      // What was told meanwhile is newer than this answer, and may be the last that is ever told.
      if (last === before) show(text);
    } catch (error) {
      failure.value = error instanceof StoreError ? error.message : GONE;
    }
  };
  void ask();
  const events = new EventSource('api/live');
  events.addEventListener('job', (event) => show(event.data));
  // The browser tries again by itself; meanwhile the reader learns that nobody answers.
  events.addEventListener('error', ask);
  return {
    inputs,
    failure,
    async get<T>(path: string, query: Query = {}, abort?: AbortSignal): Promise<T> {
      const response = await fetch(`api/${path}${queryText(query)}`, { signal: abort }).catch(
        (error: Error) => {
          throw error.name === 'AbortError' ? error : new StoreError(GONE);
        },
      );
      if (!response.ok) throw new StoreError(await reason(response));
      const columns = response.headers.get('content-type') === 'application/octet-stream';
      if (!columns) return (await response.json()) as T;
      return decodeColumns(new Uint8Array(await response.arrayBuffer())) as T;
    },
    worker: (name) => new Worker(`${name}.js`, { name }),
    cancel: async (run) => {
      await fetch(`api/cancel?run=${encodeURIComponent(run)}`, { method: 'POST' });
    },
    open: null,
  };
}

/** A page that reads what is dropped on it, by the analyses that it carries. */
function viewer(scripts: Pick<Embedded, 'workerUrl'>): Store {
  const client = new ViewerWorker(scripts.workerUrl('viewer-worker'), (info) => {
    inputs.value = info;
  });
  return {
    inputs,
    failure,
    async get<T>(path: string, query: Query = {}, abort?: AbortSignal): Promise<T> {
      const { kind, bytes } = await client.ask(path, queryText(query).slice(1), abort);
      if (kind === 'columns') return decodeColumns(bytes) as T;
      return JSON.parse(new TextDecoder().decode(bytes)) as T;
    },
    worker: (name) => new Worker(scripts.workerUrl(name), { name }),
    cancel: null,
    open: (files) => client.open(files),
  };
}

async function reason(response: Response): Promise<string> {
  const text = await response.text();
  return text.length > 0 && text.length < 2000 ? text : `the server answered ${response.status}`;
}

function inOneFile(data: Embedded): Store {
  inputs.value = data.inputs;
  return {
    inputs,
    failure,
    async get<T>(path: string, query: Query = {}): Promise<T> {
      const found = await data.read(`${path}${queryText(query)}`);
      if (found === null) {
        throw new StoreError(
          'this one-file report does not carry that: open the recording with highwater view',
        );
      }
      return found as T;
    },
    worker: (name) => new Worker(data.workerUrl(name), { name }),
    cancel: null,
    open: null,
  };
}

/** In a fixed order, so that the same question is always written the same way. */
export function queryText(query: Query): string {
  const words = Object.entries(query).filter(([, value]) => value !== null && value !== undefined);
  words.sort(([a], [b]) => (a < b ? -1 : 1));
  const text = new URLSearchParams(words.map(([key, value]) => [key, String(value)])).toString();
  return text === '' ? '' : `?${text}`;
}

export const isOneFile = embedded !== null;
export const store: Store = embedded
  ? inOneFile(embedded)
  : viewerScripts
    ? viewer(viewerScripts)
    : served();
