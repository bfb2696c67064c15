import { seriesLabel } from '../../model/series-label.ts';
import type { VerdictBuilder } from './builder.ts';

/** What a series is, in brackets; a name that is not ours is its maker's. */
export function seriesWords(series: string | null, words: VerdictBuilder): string {
  if (series === null) return '';
  const label = seriesLabel(series);
  if (label === series) return ` (${words.theirs('series', series, 40)})`;
  // No brackets within brackets.
  return ` (${label.replace(/ \((.*)\)/, ', $1')})`;
}
