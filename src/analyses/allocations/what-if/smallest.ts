import type { Program } from '../replay/program.ts';
import { type Replayed, type ReplayOptions, replay } from '../replay/replay.ts';
import { SMALL_SEGMENT } from '../replay/rounding.ts';

/** The least that torch must be able to reserve so that the program runs to its end. */
export interface Smallest {
  readonly bytes: number;
  /** With just that much. */
  readonly retries: number;
}

/** So close it is looked for, as a share of it: what libraries take varies by more. */
const CLOSE = 1 / 512;
const LOWER = 4;
const NEAR = 8;

/**
 * By bisection. A run with a limit is the same with any other limit between its own peak and the least
 * that it was refused: each probe rules out that whole stretch, so that few are needed.
 */
export function smallest(
  program: Program,
  options: Omit<ReplayOptions, 'limit'>,
  floor: number,
  unlimited: Replayed,
): Smallest {
  let runs: Smallest = { bytes: unlimited.reservedPeakBytes, retries: 0 };
  // Less than what was in use at one moment is never enough.
  let fails = Math.min(floor, runs.bytes) - 1;
  for (;;) {
    const close = Math.max(SMALL_SEGMENT, runs.bytes * CLOSE);
    if (runs.bytes - fails <= close) return runs;
    // Most programs run with little more than they use: the lower part is looked at first.
    const more = Math.min((runs.bytes - fails) / LOWER, fails / NEAR);
    const pages = Math.ceil((fails + more) / SMALL_SEGMENT);
    const bytes = Math.min(pages * SMALL_SEGMENT, runs.bytes - SMALL_SEGMENT);
    const probe = replay(program, { ...options, limit: { bytes, by: 'device' } });
    if (probe.diesAt === null) {
      runs = { bytes: Math.min(bytes, probe.reservedPeakBytes), retries: probe.retries };
    } else fails = Math.min(Math.max(bytes, probe.refusedBytes - 1), runs.bytes - 1);
  }
}
