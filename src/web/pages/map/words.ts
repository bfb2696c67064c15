import { formatDuration } from '../../../base/time.ts';

/** `12.3 µs`, `4.50 ms`, and from a second on as everywhere else. */
export function formatMicros(micros: number): string {
  if (micros < 1000) return `${Math.round(micros)} µs`;
  if (micros < 1e6) return `${(micros / 1000).toPrecision(3)} ms`;
  return formatDuration(micros / 1e6);
}

/** When something was, finely enough to find it again. */
export const formatAt = (micros: number) => `${(micros / 1e6).toFixed(6)} s`;
