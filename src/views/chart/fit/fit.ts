import { scaleLinear } from 'd3-scale';
import type { Fit, FitCurve } from '../../../analyses/fit/index.ts';
import { roundSize } from '../../sweep/fit-figures.ts';
import { type Axis, byteAxis } from '../axes.ts';
import { axisLabels, grid, labelRoom } from '../frame.ts';
import { LEGEND_LINE, legend } from '../legend.ts';
import type { ChartOptions } from '../options.ts';
import { page } from '../page.ts';
import { LIGHT, lineLook, type Theme } from '../palette.ts';
import type { Scene } from '../scene.ts';
import { AXIS_TITLE_SIZE, acrossTitle, subtitleLine, text } from '../words.ts';
import { curveNodes, type DrawnCurve, dots, limits } from './fit-marks.ts';

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
  const under = `${fit.held}: points are measured, bands hold 95 of 100 peaks`;
  const across = curves[0]?.parameter ?? '';
  return page({ title, width, height, margin: MARGIN, theme }, [
    subtitleLine(MARGIN, MARGIN + 38, under, inner, theme),
    ...key.nodes,
    ...grid(plot, xAxis, yAxis, x, y, theme),
    ...axisLabels(plot, xAxis, yAxis, x, y, theme),
    { node: 'group', clip: plot, children: curves.flatMap((curve) => curveNodes(curve, x, y)) },
    ...limits(fit, plot, y, theme),
    ...curves.flatMap((curve) => dots(curve, x, y, theme)),
    acrossTitle(plot, across, theme, FOOT - MARGIN + 8),
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
