import type { Unit } from '../../../model/verdict.ts';
import type { FailureCause } from './fixes.ts';

/** A cause of memory that ran out on a device, with what speaks for it and against it. */
export interface RankedCause {
  readonly id: FailureCause;
  /** Of a limit that is not the program's own: a slice of a card (MIG). */
  readonly limitOf?: 'slice';
  /** 0 to 1: how sure it is that this is why; two that are close are both near a half. */
  readonly certainty: number;
  /** What it held, or kept from the program. */
  readonly bytes: number;
  readonly evidence: readonly CauseStatement[];
  readonly against: readonly CauseStatement[];
}

/** What was seen, and where in the device's figures it stands. */
export interface CauseStatement {
  /** Names in braces stand for `texts`. */
  readonly statement: string;
  /** A JSON pointer into the whole output. */
  readonly at: string;
  readonly unit: Unit | null;
  /** Text of the recorded program's, by the name that stands in braces. */
  readonly texts?: Readonly<Record<string, string>>;
}
