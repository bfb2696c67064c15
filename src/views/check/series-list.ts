import type { GateableSeries } from '../../analyses/check/gateable-series.ts';
import { formatBytes } from '../../base/bytes.ts';
import { alignColumns } from '../../base/text.ts';
import { seriesLabel } from '../series-label.ts';

const ADVICE = {
  1: 'repeats to the byte: best for a limit',
  2: 'repeats well',
  3: 'moves a little from run to run: leave room, or use several baseline runs',
  4: 'other programs count too: rather not',
} as const;

/** The names that `check` can hold against a limit, and which to prefer. */
export function seriesText({ series }: GateableSeries): string {
  const [best] = series;
  if (!best) return 'This recording has no series.\n';
  const rows = series.map(({ name, peakBytes, repeatability }) => [
    name,
    formatBytes(peakBytes),
    seriesLabel(name),
    ADVICE[repeatability],
  ]);
  const head = ['series', 'peak', 'what it is', 'as a limit'];
  const size = formatBytes(best.peakBytes).replace(' ', '');
  return `${alignColumns([head, ...rows], new Set([1])).join('\n')}

gpu, torch, tree and host stand for the highest of their kind.
For example: highwater check --peak '${best.name}<=${size}'
`;
}
