/** How far the answer to a question is. */
export interface WhatIfProgress {
  /** The settings that are being replayed, which of them they are (from 1), and of how many. */
  readonly conf: string;
  readonly row: number;
  readonly rows: number;
  /** Which try for the smallest limit it is, from 1; null: none is looked for yet. */
  readonly probe: number | null;
  /** Done of the replay under way. */
  readonly eventsDone: number;
  readonly events: number;
  /** Of everything, 0 to 1; it never falls. */
  readonly share: number;
}
