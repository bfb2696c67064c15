import { formatMiB } from '../../../base/bytes.ts';
import { formatDuration } from '../../../base/time.ts';
import { fitText, textWidth } from '../lettering.ts';
import type { Theme } from '../palette.ts';
import type { Node } from '../scene.ts';
import type { DrawnLine } from './overlay-curves.ts';

export const OVERLAY_LEGEND_LINE = 20;

const SIZE = 12.5;
const SWATCH = 24;
const GAP = 8;
const BETWEEN = 28;
/** Beyond this a legend would be longer than the chart. */
const MOST = 24;

/** Names with their peaks in columns, read downwards, in the order given: the highest first. */
export function overlayLegend(
  lines: readonly DrawnLine[],
  x: number,
  y: number,
  width: number,
  theme: Theme,
): { nodes: Node[]; rows: number } {
  const shown = lines.slice(0, MOST);
  const labels = shown.map(({ name, peak }) =>
    fitText(
      `${name}: peak ${formatMiB(peak.bytes)} at ${formatDuration(peak.seconds)}`,
      width - 40,
      SIZE,
    ),
  );
  const widest = SWATCH + GAP + Math.max(...labels.map((label) => textWidth(label, SIZE)));
  const columns = Math.max(1, Math.floor((width + BETWEEN) / (widest + BETWEEN)));
  const rows = Math.ceil(shown.length / columns);
  const nodes = shown.flatMap(({ look }, i): Node[] => {
    const left = x + Math.floor(i / rows) * (widest + BETWEEN);
    const base = y + (i % rows) * OVERLAY_LEGEND_LINE;
    return [
      {
        node: 'line',
        from: { x: left, y: base - 4.5 },
        to: { x: left + SWATCH, y: base - 4.5 },
        stroke: { color: look.color, width: 2.5, dash: look.dash },
      },
      {
        node: 'text',
        x: left + SWATCH + GAP,
        y: base,
        text: labels[i]!,
        size: SIZE,
        fill: theme.ink,
      },
    ];
  });
  if (lines.length === shown.length) return { nodes, rows };
  const more = `and ${lines.length - shown.length} more, all of them with lower peaks`;
  const base = y + rows * OVERLAY_LEGEND_LINE;
  nodes.push({ node: 'text', x, y: base, text: more, size: SIZE, fill: theme.muted });
  return { nodes, rows: rows + 1 };
}
