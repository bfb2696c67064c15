import { formatBytes } from '../../base/bytes.ts';
import type { Outlier } from '../ranks/index.ts';
import type { VerdictBuilder } from './builder.ts';

/** A rank that holds more than the others; null: none does. */
export function addOutlier(outlier: Outlier | null, words: VerdictBuilder): void {
  if (!outlier) return;
  const { rank, bytes, medianBytes } = outlier;
  words.evidence(
    '/ranks/outlier/rank',
    'rank',
    `rank ${rank} stands out: ${formatBytes(bytes - medianBytes)} more than the median of the others`,
  );
}
