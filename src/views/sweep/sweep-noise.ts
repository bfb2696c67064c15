import type { Sweep } from '../../analyses/sweep/index.ts';
import { formatMiB } from '../../base/bytes.ts';

const MOST_PAIRS = 6;

/** Which differences mean nothing; nothing is said where each combination ran but once. */
export function noiseSentences({ differences, repeat }: Sweep): string[] {
  const judged = differences.filter((pair) => pair.withinNoise !== null);
  if (repeat < 2 || judged.length === 0) return [];
  const noise = judged.filter((pair) => pair.withinNoise);
  if (noise.length === 0) return ['Every difference is larger than the noise between repeats.'];
  // Then the headline has said so.
  if (noise.length === judged.length) return [];
  const pairs = noise
    .slice(0, MOST_PAIRS)
    .map((pair) => `${pair.a} and ${pair.b} (${formatMiB(pair.bytes)})`);
  const more = noise.length > MOST_PAIRS ? `, and ${noise.length - MOST_PAIRS} more` : '';
  return [`Within noise (≈), so not to be told apart: ${pairs.join('; ')}${more}.`];
}
