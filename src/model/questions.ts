import type { InputsInfo } from './inputs-info.ts';

/** A question of the page to the thread that reads and analyses: `run/0/timeline`, `job/compare`. */
export type Question =
  | { readonly type: 'get'; readonly id: number; readonly path: string; readonly query: string }
  /** Nobody waits for the answer any more. */
  | { readonly type: 'drop'; readonly id: number };

/** An answer as it travels; `columns` where there are many numbers (columns.ts), `html` a file to save. */
export interface EncodedAnswer {
  readonly kind: 'json' | 'columns' | 'html';
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** What that thread tells. */
export type Told =
  | { readonly type: 'inputs'; readonly info: InputsInfo }
  | { readonly type: 'answer'; readonly id: number; readonly answer: EncodedAnswer }
  | {
      readonly type: 'failure';
      readonly id: number;
      /** As HTTP has it. */
      readonly status: number;
      readonly message: string;
    };
