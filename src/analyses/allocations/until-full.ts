import { GiB } from '../../base/bytes.ts';
import type { RunInfo } from '../../model/run.ts';
import type { TraceSurvey } from './evidence/survey.ts';

/** How long memory lasts at the rate at which a trace leaks. */
export interface UntilFull {
  /** Of the card; null: its size is not known, and this is for each GiB that it still has. */
  readonly cardBytes: number | null;
  /** At most: other processes and the context of this one take their part of the card too. */
  readonly steps: number;
  /** null where the trace has no times. */
  readonly seconds: number | null;
}

export function untilFull(
  { bytes }: Pick<TraceSurvey, 'bytes'>,
  perStep: number,
  stepSeconds: number | null,
  cardBytes: number | null,
): UntilFull {
  const taken = Number.isNaN(bytes.endReserved) ? bytes.endRequested : bytes.endReserved;
  const left = cardBytes === null ? GiB : Math.max(0, cardBytes - taken);
  const steps = Math.floor(left / perStep);
  return { cardBytes, steps, seconds: stepSeconds === null ? null : steps * stepSeconds };
}

/** The size of the card that a trace is of, where all cards of the run have the same. */
export function cardSize({ gpus }: Pick<RunInfo, 'gpus'>): number | null {
  const sizes = new Set(gpus.filter(({ mig }) => !mig).map(({ memoryBytes }) => memoryBytes));
  const [only] = sizes;
  return sizes.size === 1 && only! > 0 ? only! : null;
}
