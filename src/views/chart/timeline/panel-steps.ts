import type { TimelinePanel } from '../../../analyses/panels/panel.ts';
import { firstFrom } from '../../../base/search.ts';
import type { Domain } from '../axes.ts';

/** Steps narrower than this, in pixels, are noise when every event of them is drawn. */
const LEAST_WIDTH = 6;

/** What a step ended with, beside its peak. */
export const STEP_END = 'at the end of each step';

/** A panel with one value for each step, where steps are too narrow to see what happens in them. */
export function bySteps(panel: TimelinePanel, domain: Domain, width: number): TimelinePanel {
  const { envelope } = panel;
  if (!envelope) return panel;
  const { x, bands, ends } = envelope;
  const from = Math.max(0, firstFrom(x, domain.low) - 1);
  const to = Math.min(x.length, firstFrom(x, domain.high) + 1);
  const span = Math.min(domain.high, x.at(-1)!) - Math.max(domain.low, x[0]!);
  const wide = (width * span) / (domain.high - domain.low) / Math.max(1, to - from - 1);
  if (!(span > 0) || wide >= LEAST_WIDTH) return panel;
  return {
    ...panel,
    title: `${panel.title}, peak of each step`,
    stack: { x, bands },
    lines: [
      ...panel.lines,
      { series: STEP_END, label: STEP_END, x, bytes: ends, samples: x.length },
    ],
  };
}
