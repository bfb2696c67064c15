import type { Series } from '../../model/series.ts';

/** Of a series at most this much is left out. */
const MOST_LEFT_OUT = 0.6;

/**
 * The agent's own code is loaded while the program runs, once that grows. What it takes is known to a few hundred KiB, and
 * taken off; but a leak that is even to the page would look as if it had made a step there.
 */
export function sinceLoaded(whole: Series, loadedNs: number | null): Series {
  const { times, values } = whole;
  const from = loadedNs === null ? 0 : times.findIndex((time) => time >= loadedNs);
  if (from <= 0 || from > MOST_LEFT_OUT * times.length) return whole;
  return { ...whole, times: times.subarray(from), values: values.subarray(from) };
}
