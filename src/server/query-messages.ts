import type { Question, Told } from '../model/questions.ts';

/** What the thread that reads and analyses is started with. */
export interface QueryThreadData {
  readonly inputs: readonly string[];
  /** Inputs that are left out, and why; null: the reader did not want to wait for them. */
  readonly skipped: readonly (readonly [path: string, why: string | null])[];
  /** How much others go first, 0 to 19. */
  readonly nice: number;
}

export type ToQueryThread =
  | Question
  /** The recorder is done: look once more, now. */
  | { readonly type: 'look' };

export type FromQueryThread = Told | { readonly type: 'looked' };
