import { isoTime, SECOND_NS } from '../base/time.ts';
import type { RunInfo } from '../model/run.ts';
import type { ImportHints } from './input.ts';

/** Years 1970 to 2286: a number outside is no time of a sample. */
const MAX_UNIX = 1e10;

export const isUnixTime = (seconds: number) => seconds > 0 && seconds < MAX_UNIX;

/**
 * Wall times of samples as a recording's ns. They stay float64 seconds up to the subtraction: the
 * Caffe leak test computed so, and its figures are to be met to the digit. Not rounded, for a sum
 * of two rounded times is off by one in the last digit.
 */
export class SampleClock {
  readonly #base: number;

  constructor(firstUnix: number) {
    this.#base = Math.floor(firstUnix);
  }

  ns(unix: number): number {
    return (unix - this.#base) * SECOND_NS;
  }

  /** Tells the run when it was. */
  finish(run: RunInfo, lastUnix: number): void {
    run.startedAt = isoTime(this.#base * 1000);
    run.endedAt = isoTime(lastUnix * 1000);
  }
}

/**
 * For samples that count from their own beginning: the file was last changed at the last one, so
 * the first was `seconds` before. Tells the run so; nothing when the file's time is not known.
 */
export function countBack(run: RunInfo, seconds: number, { modified }: ImportHints): void {
  if (modified === undefined || !isUnixTime(modified - seconds)) return;
  run.startedAt = isoTime((modified - seconds) * 1000);
  run.endedAt = isoTime(modified * 1000);
  run.warnings.push(
    `the wall time is counted back from the file's last change, ${run.endedAt.slice(0, 19)}Z`,
  );
}
