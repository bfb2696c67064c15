import { scaleLinear } from 'd3-scale';
import { area, line as lineShape } from 'd3-shape';
import type { Fit, FitCurve } from '../../analyses/fit/index.ts';
import { formatBytes } from '../../base/bytes.ts';
import { roundSize } from '../sweep/fit-figures.ts';
import { type Axis, byteAxis } from './axes.ts';
import { axisLabels, grid, labelRoom, type Scale } from './frame.ts';
import { LEGEND_LINE, legend } from './legend.ts';
import { LIGHT, lineLook, type Theme } from './palette.ts';
import type { Box, Node, Scene } from './scene.ts';
import { AXIS_TITLE_SIZE, subtitleLine, text, xAxisTitle } from './text-nodes.ts';
import type { ChartOptions } from './titled-scene.ts';
import { titledScene } from './titled-scene.ts';

const MARGIN = 24;
const FOOT = 56;
const MOST_CURVES = 6;

/** Measured peaks, the curve through them with its interval, and where memory ends. */
export function fitChart(fit: Fit, options: Partial<ChartOptions> = {}): Scene {
  const { width = 960, height = 520, theme = LIGHT } = options;
  const title = options.title ?? `What fits into ${roundSize(fit.limitBytes)}`;
  const inner = width - 2 * MARGIN;
  const curves = drawn(fit, theme);
  const key = legend(
    // One curve needs no name of its own.
    curves.flatMap(({ name, color }) => (name === '' ? [] : [{ label: name, color }])),
    MARGIN,
    MARGIN + 64,
    inner,
    false,
    theme,
  );
  const top = MARGIN + 60 + key.lines * LEGEND_LINE;
  const high = Math.max(fit.limitBytes, ...curves.flatMap(highest)) * 1.06;
  const yAxis = byteAxis({ low: 0, high }, 9);
  const left = MARGIN + 24 + labelRoom(yAxis);
  const plot = { x: left, y: top, width: width - left - MARGIN - 8, height: height - top - FOOT };
  const last = Math.max(...curves.map(({ points }) => points.at(-1)!.value));
  const x = scaleLinear([0, last], [plot.x, plot.x + plot.width]);
  const y = scaleLinear([0, high], [plot.y + plot.height, plot.y]);
  const xAxis = numberAxis(x.ticks(9), last);
  const under = `${fit.held}: points are measured, bands hold 90 of 100 peaks`;
  const across = curves[0]?.parameter ?? '';
  return titledScene({ title, width, height, margin: MARGIN, theme }, [
    subtitleLine(MARGIN, MARGIN + 38, under, inner, theme),
    ...key.nodes,
    ...grid(plot, xAxis, yAxis, x, y, theme),
    ...axisLabels(plot, xAxis, yAxis, x, y, theme),
    { node: 'group', clip: plot, children: curves.flatMap((curve) => curveNodes(curve, x, y)) },
    ...limits(fit, plot, y, theme),
    ...curves.flatMap((curve) => dots(curve, x, y, theme)),
    xAxisTitle(plot, across, theme, FOOT - MARGIN + 8),
    text(MARGIN + 12, plot.y + plot.height / 2, yAxis.unit, AXIS_TITLE_SIZE, theme.ink, {
      anchor: 'middle',
      upwards: true,
    }),
  ]);
}

/** One for each group and value of the other parameters. */
function drawn({ groups }: Fit, theme: Theme): DrawnCurve[] {
  return groups
    .flatMap((group) =>
      group.curves.map((curve) => {
        const others = Object.entries(curve.others).map(([name, value]) => `${name}=${value}`);
        return { ...curve, name: [group.name, ...others].filter(Boolean).join(', ') };
      }),
    )
    .slice(0, MOST_CURVES)
    .map((curve, i) => ({ ...curve, color: lineLook(theme, i).color }));
}

const highest = ({ points, measured }: FitCurve) => [
  points.at(-1)!.highBytes,
  ...measured.map(({ bytes }) => bytes),
];

const numberAxis = (ticks: readonly number[], last: number): Axis => ({
  unit: '',
  major: ticks
    .filter((value) => value <= last)
    .map((value) => ({ value, label: value.toLocaleString('en-US') })),
  minor: [],
});

interface DrawnCurve extends FitCurve {
  readonly name: string;
  readonly color: string;
}

/** The curve and the interval about it. */
function curveNodes({ points, color }: DrawnCurve, x: Scale, y: Scale): Node[] {
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
function dots({ measured, failed, color }: DrawnCurve, x: Scale, y: Scale, theme: Theme): Node[] {
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
function limits({ limitBytes, usableBytes }: Fit, plot: Box, y: Scale, theme: Theme): Node[] {
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
