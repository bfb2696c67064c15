import { area, line as lineShape } from 'd3-shape';
import type { Fit, FitCurve } from '../../../analyses/fit/index.ts';
import { formatBytes } from '../../../base/bytes.ts';
import { roundSize } from '../../sweep/fit-figures.ts';
import type { Scale } from '../frame.ts';
import type { Theme } from '../palette.ts';
import type { Box, Node } from '../scene.ts';

export interface DrawnCurve extends FitCurve {
  readonly name: string;
  readonly color: string;
}

/** The curve and the interval about it. */
export function curveNodes({ points, color }: DrawnCurve, x: Scale, y: Scale): Node[] {
  const band = area<FitCurve['points'][number]>(
    (point) => x(point.value),
    (point) => y(point.lowBytes),
    (point) => y(point.highBytes),
  ).digits(2);
  const middle = lineShape<FitCurve['points'][number]>(
    (point) => x(point.value),
    (point) => y(point.bytes),
  ).digits(2);
  return [
    { node: 'path', d: band([...points]) ?? '', fill: color, opacity: 0.16 },
    { node: 'path', d: middle([...points]) ?? '', stroke: { color, width: 2 } },
  ];
}

/** Rings are runs that ended for lack of memory: they needed more. */
export function dots(
  { measured, failed, color }: DrawnCurve,
  x: Scale,
  y: Scale,
  theme: Theme,
): Node[] {
  return [
    ...measured.map(
      ({ value, bytes }): Node => ({
        node: 'circle',
        x: x(value),
        y: y(bytes),
        radius: 4,
        fill: color,
        stroke: { color: theme.background, width: 1 },
      }),
    ),
    ...failed.map(
      ({ value, bytes }): Node => ({
        node: 'circle',
        x: x(value),
        y: y(bytes),
        radius: 5,
        fill: theme.background,
        stroke: { color: theme.alarm, width: 2 },
      }),
    ),
  ];
}

const LABEL_ROOM = 24;

/** Where memory ends: all of it, and what of it can be used. */
export function limits(
  { limitBytes, usableBytes }: Fit,
  plot: Box,
  y: Scale,
  theme: Theme,
): Node[] {
  const right = plot.x + plot.width;
  const across = (bytes: number) => ({
    node: 'line' as const,
    from: { x: plot.x, y: y(bytes) },
    to: { x: right, y: y(bytes) },
  });
  const whole = roundSize(limitBytes);
  const all = usableBytes === limitBytes;
  return [
    ...(all ? [] : [{ ...across(limitBytes), stroke: { color: theme.axis, width: 1 } }]),
    { ...across(usableBytes), stroke: { color: theme.alarm, width: 1.5, dash: [6, 4] } },
    {
      node: 'text',
      x: plot.x + 8,
      // On its own line, where there is room between the two.
      y: (y(usableBytes) - y(limitBytes) > LABEL_ROOM ? y(usableBytes) : y(limitBytes)) - 7,
      text: all ? whole : `${formatBytes(usableBytes)} usable of ${whole}`,
      size: 12.5,
      fill: theme.alarm,
      halo: theme.background,
    },
  ];
}
