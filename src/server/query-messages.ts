import type { InputsInfo } from '../model/inputs-info.ts';
import type { EncodedAnswer } from './query.ts';

/** What the thread that reads and analyses is started with. */
export interface QueryThreadData {
  readonly inputs: readonly string[];
  /** Inputs that are left out, and why; null: the reader did not want to wait for them. */
  readonly skipped: readonly (readonly [path: string, why: string | null])[];
  /** How much others go first, 0 to 19. */
  readonly nice: number;
}

export type ToQueryThread =
  | { readonly type: 'get'; readonly id: number; readonly path: string; readonly query: string }
  | { readonly type: 'drop'; readonly id: number }
  /** The recorder is done: look once more, now. */
  | { readonly type: 'look' };

export type FromQueryThread =
  | { readonly type: 'inputs'; readonly info: InputsInfo }
  | { readonly type: 'answer'; readonly id: number; readonly answer: EncodedAnswer }
  | {
      readonly type: 'failure';
      readonly id: number;
      readonly status: 400 | 404 | 500;
      readonly message: string;
    }
  | { readonly type: 'looked' };
