import type { InputsInfo } from '../model/inputs-info.ts';

/** What went wrong, as the server said it. */
export class StoreError extends Error {}

export type Query = Readonly<Record<string, string | number | null | undefined>>;

/** `finished`: the recorder ended as it should, and what it had is here; `lost`: nobody answers, and only what was looked at is here. */
export type Connection = 'open' | 'finished' | 'lost';

/**
 * Where data comes from: a server, or the page itself when it is a one-file report. Pages do not
 * know which. `path` is `run/0/timeline` or `job/compare`.
 */
export interface Store {
  readonly inputs: { readonly value: InputsInfo | null };
  /** Why there are none. */
  readonly failure: { readonly value: string | null };
  /** Whether somebody is there to ask. */
  readonly connection: { readonly value: Connection };
  /** Something was recorded while this page was open. */
  readonly wasLive: { readonly value: boolean };
  /** What the page came with, to be drawn at once; undefined: it has to be asked for. */
  known<T = unknown>(path: string, query?: Query): T | undefined;
  /** JSON-able data, or Columns. */
  get<T = unknown>(path: string, query?: Query, abort?: AbortSignal): Promise<T>;
  /** A worker by the name of its file, `map-worker`. */
  worker(name: string): Worker;
  /** Stops the opening of an input; null where there is nothing to stop. */
  cancel: ((run: string) => Promise<void>) | null;
  /** Opens files of the reader's machine in the place of what is shown; null where the page cannot. */
  open: ((files: readonly File[]) => void) | null;
  /** Opens a recording of the list, and tells its run; null where there is no list. */
  openHere: ((path: string) => Promise<string>) | null;
  /** Hands a file to the server, which opens it beside the others, and tells its run; null without one. */
  take: ((file: File) => Promise<string>) | null;
  /** Everything that is open, as one file; null where it is one already. */
  oneFile: (() => Promise<Blob>) | null;
}

/** In a fixed order, so that the same question is always written the same way. */
export function queryText(query: Query): string {
  const words = Object.entries(query).filter(([, value]) => value !== null && value !== undefined);
  words.sort(([a], [b]) => (a < b ? -1 : 1));
  const text = new URLSearchParams(words.map(([key, value]) => [key, String(value)])).toString();
  return text === '' ? '' : `?${text}`;
}
