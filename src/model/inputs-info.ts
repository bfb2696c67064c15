/** What a page is told about everything that was opened for it. */
export interface InputsInfo {
  /** Of Highwater. */
  readonly version: string;
  /** Resources about all inputs together. */
  readonly resources: readonly string[];
  readonly runs: readonly InputInfo[];
  /** A recorder is still at work on one of them. */
  readonly live: boolean;
  /** What a one-file report leaves out; null when everything can be asked for. */
  readonly leftOut: readonly string[] | null;
  /** Files that are dropped on the page can be opened. */
  readonly takesFiles?: boolean;
  /** The server goes at the end of the run: what to ask it while it is there, so that the page has all that a one-file report has. */
  readonly lastCall?: readonly string[];
}

/** One input: a recording, a packed one, or a file of another tool. */
export interface InputInfo {
  /** `0`, `1` …, in the order of the inputs. */
  readonly id: string;
  readonly name: string;
  /** As the user gave it. */
  readonly path: string;
  readonly status: 'waiting' | 'opening' | 'open' | 'failed' | 'cancelled';
  /** Names of the resources it has; none before it is open. */
  readonly resources: readonly string[];
  /** Why it could not be opened. */
  readonly error: string | null;
  readonly progress: InputProgress | null;
  /** A recorder is still at work on it. */
  readonly live: boolean;
  /** Seconds at which it stops before what it records did; null: it does not, or is live. */
  readonly stopsAt: number | null;
  /** It ended with an error, by a signal, or for lack of memory. */
  readonly died: boolean;
  /** Of a job: the rank that stands out; null: none does. */
  readonly outlier: number | null;
  /** Rises whenever its data changed: what was fetched before is old. */
  readonly revision: number;
}

export interface InputProgress {
  /** `reading`, `analysing` … */
  readonly what: string;
  readonly done: number;
  /** In the unit of `done`; null: nobody knows. */
  readonly total: number | null;
}
