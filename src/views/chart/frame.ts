import type { Axis } from './axes.ts';
import type { Theme } from './palette.ts';
import type { Box, Node } from './scene.ts';
import { textWidth } from './text-width.ts';

export type Scale = (value: number) => number;

export const TICK_SIZE = 12;
const LABEL_GAP = 9;

/** Gridlines behind the data: fine ones first, so that the labelled ones stay on top. */
export function grid(
  plot: Box,
  xAxis: Axis,
  yAxis: Axis,
  x: Scale,
  y: Scale,
  theme: Theme,
): Node[] {
  const bottom = plot.y + plot.height;
  const right = plot.x + plot.width;
  const upright = (value: number, color: string): Node => ({
    node: 'line',
    from: { x: x(value), y: plot.y },
    to: { x: x(value), y: bottom },
    stroke: { color, width: 1 },
  });
  return [
    ...xAxis.minor.map((value) => upright(value, theme.minorGrid)),
    ...xAxis.major.map(({ value }) => upright(value, theme.grid)),
    ...yAxis.major.map(
      ({ value }): Node => ({
        node: 'line',
        from: { x: plot.x, y: y(value) },
        to: { x: right, y: y(value) },
        stroke: { color: theme.grid, width: 1 },
      }),
    ),
  ];
}

/** The lower and left border, with numbers. */
export function axisLabels(plot: Box, xAxis: Axis, yAxis: Axis, x: Scale, y: Scale, theme: Theme) {
  const bottom = plot.y + plot.height;
  const axis = { color: theme.axis, width: 1 };
  const label = { node: 'text', size: TICK_SIZE, fill: theme.muted } as const;
  const nodes: Node[] = [
    {
      node: 'line',
      from: { x: plot.x, y: bottom },
      to: { x: plot.x + plot.width, y: bottom },
      stroke: axis,
    },
  ];
  for (const { value, label: text } of xAxis.major) {
    nodes.push(
      {
        node: 'line',
        from: { x: x(value), y: bottom },
        to: { x: x(value), y: bottom + 5 },
        stroke: axis,
      },
      { ...label, x: x(value), y: bottom + 20, text, anchor: 'middle' },
    );
  }
  for (const { value, label: text } of yAxis.major) {
    nodes.push({ ...label, x: plot.x - LABEL_GAP, y: y(value) + 4, text, anchor: 'end' });
  }
  return nodes;
}

/** Pixels that the numbers left of the plot need. */
export function labelRoom(axis: Axis): number {
  return LABEL_GAP + Math.max(0, ...axis.major.map(({ label }) => textWidth(label, TICK_SIZE)));
}
