import type { CauseCode, Certainty } from '../../model/verdict.ts';

/** What a rule decided. */
export interface Found {
  readonly code: CauseCode;
  readonly certainty: Certainty;
}
