import { GiB } from '../../base/bytes.ts';
import { median } from '../../base/stats.ts';
import type { RunInfo } from '../../model/run.ts';
import type { StepBytes } from './step-bytes.ts';

/** How long memory lasts at the rate at which a trace leaks. */
export interface UntilFull {
  /** Of the card; null: its size is not known, and this is for each GiB that it still has. */
  readonly cardBytes: number | null;
  /** At most: other processes, the context of this one and holes between blocks take their part of the card too. */
  readonly steps: number;
  /** null where the trace has no times. */
  readonly seconds: number | null;
}

export function untilFull(
  levels: StepBytes,
  perStep: number,
  stepSeconds: number | null,
  cardBytes: number | null,
): UntilFull {
  const left = cardBytes === null ? GiB : Math.max(0, cardBytes - lastNeeds(levels));
  const steps = Math.floor(left / perStep);
  return { cardBytes, steps, seconds: stepSeconds === null ? null : steps * stepSeconds };
}

/** What a usual step needs at its peak, at the level of the last. What lies in the allocator's cache is still to be had. */
function lastNeeds({ startRequested, peakRequested }: StepBytes): number {
  return startRequested.at(-1)! + median(peakRequested.map((peak, i) => peak - startRequested[i]!));
}

/** The size of the card that a trace is of, where all cards of the run have the same. */
export function cardSize({ gpus }: Pick<RunInfo, 'gpus'>): number | null {
  const sizes = new Set(gpus.filter(({ mig }) => !mig).map(({ memoryBytes }) => memoryBytes));
  const [only] = sizes;
  return sizes.size === 1 && only! > 0 ? only! : null;
}
