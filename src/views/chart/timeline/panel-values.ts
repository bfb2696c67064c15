import type { Panel } from '../../../analyses/panels/panel.ts';
import { formatBytes } from '../../../base/bytes.ts';
import type { Domain } from '../axes.ts';
import type { Theme } from '../palette.ts';
import type { Box, Node } from '../scene.ts';

/** A limit far above everything would press the curves flat: it is drawn only where it is near. */
const NEAR = 1.6;

/** The range of a panel's axis; `fit`: from the lowest to the highest that is shown. */
export function valuesOf(panel: Panel, fit: boolean): Domain {
  if (!fit) {
    const near = panel.limit !== null && panel.limit.bytes < NEAR * panel.highest;
    const top = near ? Math.max(panel.limit!.bytes, panel.highest) : panel.highest;
    return { low: 0, high: Math.max(1, top) * 1.06 };
  }
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  const see = (value: number) => {
    if (value < low) low = value;
    if (value > high) high = value;
  };
  const { stack, lines } = panel;
  stack?.x.forEach((_, i) => {
    see(stack.bands.reduce((sum, { bytes }) => sum + bytes[i]!, 0));
  });
  for (const { bytes } of lines) bytes.forEach(see);
  if (!(high >= low)) return { low: 0, high: 1 };
  const pad = Math.max((high - low) * 0.08, 1);
  return { low: Math.max(0, low - pad), high: high + pad };
}

export function limitNodes(
  { limit }: Panel,
  { high }: Domain,
  box: Box,
  y: (value: number) => number,
  theme: Theme,
): Node[] {
  if (!limit || limit.bytes > high) return [];
  const at = y(limit.bytes);
  const [from, to] = [
    { x: box.x, y: at },
    { x: box.x + box.width, y: at },
  ];
  const text = `${limit.label}: ${formatBytes(limit.bytes)}`;
  return [
    { node: 'line', from, to, stroke: { color: theme.alarm, width: 1, dash: [5, 4] } },
    {
      node: 'text',
      text,
      x: box.x + box.width - 4,
      y: at + 14,
      size: 11,
      fill: theme.alarm,
      anchor: 'end',
      halo: theme.background,
    },
  ];
}
