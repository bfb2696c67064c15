import type { ShelfLevels } from '../../../analyses/leak/shelf-levels.ts';
import type { Trend } from '../../../analyses/leak/trend.ts';
import type { Report } from '../../../analyses/report.ts';
import type { TimelineLine } from '../../../analyses/timeline.ts';
import { formatBytes, formatDelta, MiB } from '../../../base/bytes.ts';
import { rateWords } from '../../../model/rate-words.ts';
import { formatIn } from '../axes.ts';
import type { Scale } from '../frame.ts';
import type { Theme } from '../palette.ts';
import type { Box, Node, Point } from '../scene.ts';
import { textWidth } from '../text-width.ts';

const SIZE = 11.5;
/** A step smaller than this on paper has no room for an arrow. */
const LEAST_ARROW = 14;

/** Shelves are the level of their curve, give or take its noise. */
const NEAR = 4 * MiB;

/** What a leak looks like on a chart: the shelves with the step between them, and the trend. */
export function leakLayer(
  leak: Report['leak'] | undefined,
  lines: readonly TimelineLine[],
  x: Scale,
  y: Scale,
  plot: Box,
  unit: string,
  theme: Theme,
): Node[] {
  if (!leak) return [];
  return lines.flatMap((line) => [
    ...shelves(leak, line, x, y, plot, unit, theme),
    ...trendLine(leak, line.series, x, y, plot, theme),
  ]);
}

function shelves(
  leak: Report['leak'],
  line: TimelineLine,
  x: Scale,
  y: Scale,
  plot: Box,
  unit: string,
  theme: Theme,
): Node[] {
  const steps = [leak.shelf, leak.shelf?.used].find((found) => found?.series === line.series);
  // Levels of a machine that is busy otherwise would claim too much.
  if (!steps?.steady || !steps.after || steps.leakedBytes === null) return [];
  if (!steps.before) return leak.shelf?.verdict === 'leak' ? stayed(steps, x, y, plot, theme) : [];
  if (!standsOn(line, steps)) return [];
  const leaked = leak.shelf?.verdict === 'leak';
  const color = leaked ? theme.alarm : theme.muted;
  const [low, high] = [y(steps.beforeBytes!), y(steps.afterBytes!)];
  const [from, to] = [x(steps.before.fromSeconds), x(steps.after.toSeconds)];
  const ink = leaked ? theme.ink : theme.muted;
  const nodes: Node[] = [
    rule({ x: from, y: low }, { x: x(steps.before.toSeconds), y: low }, ink, leaked ? 2 : 1.2),
    rule({ x: x(steps.after.fromSeconds), y: high }, { x: to, y: high }, ink, leaked ? 2 : 1.2),
  ];
  // Without a leak the two short rules say it all.
  if (!leaked) return nodes;
  const arrowX = (x(steps.after.fromSeconds) + to) / 2;
  nodes.push(
    rule({ x: x(steps.before.toSeconds), y: low }, { x: to, y: low }, theme.muted, 1, [3, 3]),
    label(
      formatIn(unit, steps.beforeBytes!),
      { x: from, y: low + 16 },
      'start',
      theme.muted,
      theme,
    ),
    label(formatIn(unit, steps.afterBytes!), { x: to, y: high - 7 }, 'end', theme.muted, theme),
  );
  if (low - high >= LEAST_ARROW) nodes.push(...arrow(arrowX, low, high, color));
  const text = `left behind ${formatDelta(steps.leakedBytes)} ± ${formatBytes(steps.uncertaintyBytes!)}`;
  const room = textWidth(text, SIZE, 'semibold');
  const left = Math.max(plot.x + 4, Math.min(arrowX - 8 - room, plot.x + plot.width - room));
  const middle = low - high >= LEAST_ARROW ? (low + high) / 2 + 4 : low + 16;
  nodes.push({ ...label(text, { x: left, y: middle }, 'start', color, theme), weight: 'semibold' });
  return nodes;
}

/** What the workload's own figures show to stay began with nothing: its level says it all. */
function stayed(steps: ShelfLevels, x: Scale, y: Scale, plot: Box, theme: Theme): Node[] {
  const { fromSeconds, toSeconds } = steps.after!;
  const [from, to, high] = [x(fromSeconds), x(toSeconds), y(steps.afterBytes!)];
  const text = `left behind ${formatDelta(steps.leakedBytes!)}`;
  const room = textWidth(text, SIZE, 'semibold');
  const left = Math.max(plot.x + 4, Math.min(from, plot.x + plot.width - room));
  const words = label(text, { x: left, y: high - 8 }, 'start', theme.alarm, theme);
  return [
    rule({ x: from, y: high }, { x: to, y: high }, theme.alarm, 2),
    { ...words, weight: 'semibold' },
  ];
}

/** A curve that still has the recorder's memory in it runs beside its shelf, not along it. */
function standsOn({ seconds, bytes }: TimelineLine, { before, beforeBytes }: ShelfLevels): boolean {
  const row = seconds.findIndex((at) => at >= (before!.fromSeconds + before!.toSeconds) / 2);
  return row >= 0 && Math.abs(bytes[row]! - beforeBytes!) < NEAR;
}

/** Drawn on the series that was judged, or the tree's where one role of it leaks. */
function trendLine(
  leak: Report['leak'],
  series: string,
  x: Scale,
  y: Scale,
  plot: Box,
  theme: Theme,
): Node[] {
  const trend: Trend | undefined = leak.trends.find((found) => found.series === series);
  if (trend?.verdict !== 'leak' || !trend.line) return [];
  const from = { x: x(trend.line.fromSeconds), y: y(trend.line.fromBytes) };
  const to = { x: x(trend.line.toSeconds), y: y(trend.line.toBytes) };
  const text = `leak ${rateWords(trend)}`;
  const room = textWidth(text, SIZE, 'semibold');
  const middle = { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 };
  const left = Math.min(middle.x + 12, plot.x + plot.width - room - 4);
  return [
    rule(from, to, theme.alarm, 1.6, [6, 4]),
    {
      ...label(text, { x: left, y: middle.y + 22 }, 'start', theme.alarm, theme),
      weight: 'semibold',
    },
  ];
}

function rule(from: Point, to: Point, color: string, width: number, dash?: number[]): Node {
  return { node: 'line', from, to, stroke: { color, width, dash } };
}

function arrow(x: number, low: number, high: number, color: string): Node[] {
  const tip = `M${x - 3.5},${high + 6}L${x},${high + 1}L${x + 3.5},${high + 6}`;
  return [
    rule({ x, y: low }, { x, y: high + 1 }, color, 1.4),
    { node: 'path', d: tip, stroke: { color, width: 1.4 } },
  ];
}

function label(
  text: string,
  at: Point,
  anchor: 'start' | 'end',
  fill: string,
  theme: Theme,
): Extract<Node, { node: 'text' }> {
  return { node: 'text', ...at, text, size: SIZE, fill, anchor, halo: theme.background };
}
