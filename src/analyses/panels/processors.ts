import { SECOND_NS } from '../../base/time.ts';
import { withGaps } from '../../model/gaps.ts';
import { processorShare } from '../../model/processor-share.ts';
import type { Recording } from '../../model/recording.ts';
import { panelCurve } from './panel-curve.ts';
import type { PanelSource } from './source.ts';

/** What the tree's processes used of the processors, to stand below their memory; null where the recording tells nothing of it. */
export function processorSource(recording: Recording, zero: number): PanelSource | null {
  const share = processorShare(recording);
  // One stretch is no curve: the report tells its mean.
  if (!share || share.series.times.length < 2) return null;
  const { times, values } = withGaps(share.series);
  const seconds = times.map((ns) => (ns - zero) / SECOND_NS);
  return {
    id: 'cpu',
    title: 'CPU',
    steps: false,
    unit: 'percent',
    limit: null,
    lines: [{ series: 'cpu', label: 'percent of one core', curve: panelCurve(seconds, values) }],
    stack: null,
  };
}
