import type { ReplayOptions } from '../replay/replayed.ts';
import type { Requests } from '../replay/requests.ts';
import { SMALL_SEGMENT } from '../replay/rounding.ts';
import { Probes } from './probes.ts';

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

/** What is looked for, and where that may lie. */
export interface Search {
  readonly options: Omit<ReplayOptions, 'limit'>;
  /** Less than what was in use at one moment is never enough. */
  readonly floorBytes: number;
  /** The most that is reserved without a limit. */
  readonly peakBytes: number;
}

export interface Found {
  readonly smallest: Smallest;
  /** What the search cost: events that were replayed for it, and by how many probes. */
  readonly events: number;
  readonly probes: number;
}

/** How far a search is. */
export interface SearchProgress {
  /** The probe under way, from 1, and how many of its events are done. */
  readonly probe: number;
  readonly eventsDone: number;
  /** How much of the way from the first two bounds to two that are close enough, 0 to 1. */
  readonly closeness: number;
}

/**
 * By bisection. A run with a limit is the same with any other limit between its own peak and the least
 * that it was refused: each probe rules out that whole stretch, so that few are needed.
 */
export function findSmallest(
  program: Requests,
  { options, floorBytes, peakBytes }: Search,
  progress: (progress: SearchProgress) => void = () => {},
): Found {
  const probes = new Probes(program, options);
  let runs: Smallest = { bytes: peakBytes, retries: 0 };
  let fails = Math.min(floorBytes, peakBytes) - 1;
  const far = peakBytes - fails;
  for (let count = 0; ; count++) {
    const close = Math.max(SMALL_SEGMENT, runs.bytes * CLOSE);
    const apart = runs.bytes - fails;
    if (apart <= close) return { smallest: runs, events: probes.events, probes: count };
    // Most programs run with little more than they use: the lower part is looked at first.
    const more = Math.min(apart / LOWER, fails / NEAR);
    const pages = Math.ceil((fails + more) / SMALL_SEGMENT);
    const bytes = Math.min(pages * SMALL_SEGMENT, runs.bytes - SMALL_SEGMENT);
    const closeness = Math.log(far / apart) / Math.log(far / close);
    const probe = probes.run(bytes, { above: fails, below: runs.bytes }, (eventsDone) =>
      progress({ probe: count + 1, eventsDone, closeness }),
    );
    if (probe.diesAt === null) {
      runs = { bytes: Math.min(bytes, probe.reservedPeakBytes), retries: probe.retries };
    } else fails = Math.min(Math.max(bytes, probe.refusedBytes - 1), runs.bytes - 1);
  }
}
