import { performance } from 'node:perf_hooks';
import { SECOND_NS } from '../../base/time.ts';
import type { ClockOrigin } from './messages.ts';

/** ns since the recording's start, for the thread that asks; all threads read the same clock. */
export function runClock([originSeconds, originNs]: ClockOrigin): () => number {
  // performance.now() counts on the same clock from this thread's start, without making garbage;
  // imported, as the global of that name is a getter that is run at each use.
  const [seconds, ns] = process.hrtime();
  const offsetNs =
    (seconds - originSeconds) * SECOND_NS + (ns - originNs) - performance.now() * 1e6;
  return () => Math.round(performance.now() * 1e6 + offsetNs);
}
