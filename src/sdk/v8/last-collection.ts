import { collector } from './collector.ts';

type Memory = Pick<NodeJS.MemoryUsage, 'heapUsed' | 'external'>;

/** Shorter runs have no verdict that it could serve. */
const LEAST_SECONDS = 5;
/** It took 1.3 to 4 ms for each MB of the heap; so it is within a hundredth of the time that the program ran. */
const MB_PER_SECOND = 2.5;
const MOST_BYTES = 128e6;
/** Less than this is not worth it. */
const LEAST_GARBAGE = 1 << 20;

/** Whether a collection at the end is cheap, and may tell something. `left`: what was left by the last one, or there at the start. */
export function worthCollecting(now: Memory, left: Memory, seconds: number): boolean {
  const since = now.heapUsed + now.external - left.heapUsed - left.external;
  const most = Math.min(MOST_BYTES, seconds * MB_PER_SECOND * 1e6);
  return seconds >= LEAST_SECONDS && since >= LEAST_GARBAGE && now.heapUsed <= most;
}

/**
 * Collects once, when the program has said all that it will ever say; nothing of it runs any more. What is left was
 * held; what is gone may have been held until a moment ago, by a function that has returned. null: nothing could be collected.
 */
export function collectAtTheEnd(): Memory | null {
  const collect = collector();
  if (!collect) return null;
  collect();
  // Buffers are given back by another thread; the next collection, however small, waits for that.
  collect({ type: 'minor', execution: 'sync' });
  return process.memoryUsage();
}
