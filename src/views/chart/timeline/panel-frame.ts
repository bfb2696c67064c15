import type { TimelinePanel } from '../../../analyses/panels/panel.ts';
import { formatBytes } from '../../../base/bytes.ts';
import { ellipsize } from '../../../base/text.ts';
import type { Domain } from '../axes.ts';
import type { KeyEntry } from '../legend.ts';
import type { Theme } from '../palette.ts';
import { PEAK_ROOM } from '../peak-mark.ts';
import type { Box, Node } from '../scene.ts';
import { textWidth } from '../text-width.ts';

/** A limit far above everything would press the curves flat: it is drawn only where it is near. */
const NEAR = 1.6;

/** An idle program's noise must not fill a panel. */
const LEAST_PERCENT = 100;

/** A value of a panel in words. */
export const valueWords = ({ unit }: Pick<TimelinePanel, 'unit'>, value: number): string =>
  unit === 'percent' ? `${value.toFixed(0)} %` : formatBytes(value);

/** The range of a panel's axis; `fit`: from the lowest to the highest that is shown. Above the peak there is room for its words. */
export function valuesOf(
  panel: TimelinePanel,
  fit: boolean,
  shown: Domain,
  height: number,
): Domain {
  const room = panel.peak ? Math.min(0.4, PEAK_ROOM / Math.max(1, height)) : 0.06;
  const { low, high } = fit ? fitted(panel, shown) : fromZero(panel);
  return { low, high: low + (high - low) / (1 - room) };
}

function fromZero({ limit, highest, unit }: TimelinePanel): Domain {
  const near = limit !== null && limit.bytes < NEAR * highest;
  const top = near ? Math.max(limit!.bytes, highest) : highest;
  return { low: 0, high: Math.max(unit === 'percent' ? LEAST_PERCENT : 1, top) };
}

function fitted({ stack, lines, peak }: TimelinePanel, shown: Domain): Domain {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  const see = (value: number) => {
    if (value < low) low = value;
    if (value > high) high = value;
  };
  stack?.x.forEach((_, i) => {
    see(stack.bands.reduce((sum, { bytes }) => sum + bytes[i]!, 0));
  });
  for (const { bytes } of lines) bytes.forEach(see);
  if (peak && peak.x >= shown.low && peak.x <= shown.high) see(peak.value);
  if (!(high >= low)) return { low: 0, high: 1 };
  const pad = Math.max((high - low) * 0.08, 1);
  return { low: Math.max(0, low - pad), high: high + pad };
}

export function limitNodes(
  { limit }: TimelinePanel,
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

const SIZE = 12;
const LONGEST = 48;
/** A page may be set in a wider font than the one that is measured. */
const ROOM = 1.15;
/** There is so much beside a panel for the last figure of its axis. */
const MARGIN = 8;
/** Between a title and what its colours mean. */
const GAP = 16;

/** A panel's title, and what its colours mean beside it, as far as there is room. */
export function panelKey(
  title: string,
  parts: readonly KeyEntry[],
  box: Box,
  theme: Theme,
): { nodes: Node[]; entries: KeyEntry[] } {
  const base = box.y - 8;
  const nodes: Node[] = [
    { node: 'text', text: title, x: box.x, y: base, size: 13, fill: theme.ink, weight: 'semibold' },
  ];
  let at = box.x + textWidth(title, 13, 'semibold') * ROOM + GAP;
  const right = box.x + box.width;
  const entries = parts.map(({ label, color }) => ({ label, color }));
  for (const [i, { label, color }] of entries.entries()) {
    const text = ellipsize(label, LONGEST);
    const wide = 16 + textWidth(text, SIZE) * ROOM + 12;
    const rest = entries.length - i;
    if (at + wide > right - (rest > 1 ? 60 : 0)) {
      const room = (words: string) => right + MARGIN - textWidth(words, SIZE) * ROOM;
      const whole = `+ ${rest} more`;
      const more = room(whole) >= at - GAP / 2 ? whole : `+ ${rest}`;
      const last = room(more);
      nodes.push({
        ...{ node: 'text', text: more, x: Math.min(at, last), y: base, size: SIZE },
        fill: theme.muted,
      });
      break;
    }
    nodes.push(
      { node: 'rect', x: at, y: base - 9, width: 10, height: 10, fill: color },
      { node: 'text', text, x: at + 15, y: base, size: SIZE, fill: theme.muted },
    );
    at += wide;
  }
  return { nodes, entries };
}
