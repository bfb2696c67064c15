import type { Question, Told } from '../model/questions.ts';

/** What the thread that reads and analyses is started with. */
export interface QueryThreadData {
  readonly inputs: readonly string[];
  /** Inputs that are left out, and why; null: the reader did not want to wait for them. */
  readonly skipped: readonly (readonly [path: string, why: string | null])[];
  /** How much others go first, 0 to 19. */
  readonly nice: number;
  /** Lists the recordings that lie here, to be opened by a click. */
  readonly lists: boolean;
}

export type ToQueryThread =
  | Question
  /** One more input. */
  | { readonly type: 'open'; readonly id: number; readonly path: string }
  /** All that is open as one file. */
  | { readonly type: 'save'; readonly id: number }
  /** The recorder is done: look once more, now, and tell pages what to fetch while they can. */
  | { readonly type: 'leave' };

export type FromQueryThread = Told | { readonly type: 'left' };
