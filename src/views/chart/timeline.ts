import { scaleLinear } from 'd3-scale';
import type { Report } from '../../analyses/report.ts';
import type { Timeline, TimelineLine } from '../../analyses/timeline.ts';
import { formatBytes } from '../../base/bytes.ts';
import { seriesLabel } from '../series-label.ts';
import { byteAxis, type Domain, timeAxis } from './axes.ts';
import { annotations, curves } from './curves.ts';
import { padded, type ValueDomain, valueDomain } from './domain.ts';
import { axisLabels, grid, labelRoom } from './frame.ts';
import { LEGEND_LINE, legend } from './legend.ts';
import { fitText, wrapText } from './lettering.ts';
import { hasLabels, MARK_LANE, markLayer } from './marks.ts';
import { LIGHT, seriesColor, type Theme } from './palette.ts';
import type { Box, Node, Scene } from './scene.ts';
import { leakLayer } from './shelves.ts';

export interface TimelineOptions {
  readonly title: string;
  readonly width?: number;
  readonly height?: number;
  /** `points` is a scatter of all samples, as in the original leak test. */
  readonly style?: 'lines' | 'points';
  readonly theme?: Theme;
  /** Shelves and trend of a leak, drawn on the series they were found in. */
  readonly leak?: Report['leak'];
}

const MARGIN = 24;
const TITLE_SIZE = 17;
const AXIS_TITLE_SIZE = 13;
const CAPTION_SIZE = 11;
const CAPTION_LINE = 16;

/** Memory over time, drawn. */
export function timelineChart(data: Timeline, options: TimelineOptions): Scene {
  const { title, width = 960, height = 540, style = 'lines', theme = LIGHT } = options;
  const values = valueRange(data.lines);
  const yDomain = padded(values, 0.14, 0.08);
  const xDomain = timeRange(data);
  const inner = width - 2 * MARGIN;

  const items = data.lines.map((line, i) => ({
    label: fitText(legendText(line, data.lines.length > 1), inner - 30, 12.5),
    color: seriesColor(theme, i),
  }));
  const key = legend(items, MARGIN, MARGIN + 42, inner, style === 'points', theme);
  const lane = hasLabels(data.marks) ? MARK_LANE : 0;
  const top = MARGIN + 20 + key.lines * LEGEND_LINE + 16 + lane;

  // Marks say what their ticks mean in the caption, whose height the plot has to leave free.
  const yAxis = byteAxis(yDomain, Math.max(3, Math.floor((height - top - 90) / 46)));
  const left = MARGIN + 24 + labelRoom(yAxis);
  const plotWidth = Math.max(50, width - left - MARGIN - 8);
  const x = scaleLinear([xDomain.low, xDomain.high], [left, left + plotWidth]);
  const xAxis = timeAxis(xDomain, Math.max(2, Math.floor(plotWidth / 72)));
  const laneBox = { x: left, y: top, width: plotWidth, height: 0 };
  const tickNote = markLayer(data.marks, laneBox, x, theme).note;
  const caption = wrapText(notes(values, yAxis, tickNote), inner, CAPTION_SIZE);
  const bottom = MARGIN + 44 + (caption.length > 0 ? 8 + caption.length * CAPTION_LINE : 0);
  const plot: Box = { ...laneBox, height: Math.max(50, height - top - bottom) };
  const y = scaleLinear([yDomain.low, yDomain.high], [plot.y + plot.height, plot.y]);
  const marks = markLayer(data.marks, plot, x, theme);

  const text = (node: Omit<Extract<Node, { node: 'text' }>, 'node'>): Node => ({
    node: 'text',
    ...node,
  });
  return {
    width,
    height,
    background: theme.background,
    title,
    nodes: [
      text({
        x: MARGIN,
        y: MARGIN + 15,
        text: fitText(title, inner, TITLE_SIZE, 'semibold'),
        size: TITLE_SIZE,
        weight: 'semibold',
        fill: theme.ink,
      }),
      ...key.nodes,
      ...grid(plot, xAxis, yAxis, x, y, theme),
      ...marks.behind,
      {
        node: 'group',
        clip: around(plot),
        children: curves(data.lines, x, y, plot, style, values.zeroBased, theme),
      },
      ...axisLabels(plot, xAxis, yAxis, x, y, theme),
      ...marks.labels,
      ...leakLayer(options.leak, data.lines, x, y, plot, yAxis.unit, theme),
      ...annotations(data.lines, x, y, plot, yAxis.unit, theme),
      text({
        x: MARGIN + 11,
        y: plot.y + plot.height / 2,
        text: `Memory (${yAxis.unit})`,
        size: AXIS_TITLE_SIZE,
        fill: theme.ink,
        anchor: 'middle',
        upwards: true,
      }),
      text({
        x: left + plotWidth / 2,
        y: plot.y + plot.height + 44,
        text: `${xAxis.unit} since the ${SINCE[data.origin]}`,
        size: AXIS_TITLE_SIZE,
        fill: theme.ink,
        anchor: 'middle',
      }),
      ...caption.map((words, i) =>
        text({
          x: MARGIN,
          y: plot.y + plot.height + 44 + 12 + (i + 1) * CAPTION_LINE,
          text: words,
          size: CAPTION_SIZE,
          fill: theme.muted,
        }),
      ),
    ],
  };
}

const SINCE = {
  'workload start': 'workload started',
  'first sample': 'recording started',
  'recording start': 'recording started',
} as const;

function legendText(line: TimelineLine, withPeak: boolean): string {
  const net = line.recorderSubtracted ? ', recorder subtracted' : '';
  const peak = withPeak ? ` · peak ${formatBytes(line.peak.bytes)}` : '';
  return `${seriesLabel(line.series)}${net}${peak}`;
}

function valueRange(lines: readonly TimelineLine[]): ValueDomain {
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { bytes, kernelPeak } of lines) {
    for (const value of bytes) {
      if (value < min) min = value;
      if (value > max) max = value;
    }
    if (kernelPeak !== null && kernelPeak > max) max = kernelPeak;
  }
  return valueDomain(min, max);
}

/** From the first to the last sample, and the workload's start and end; a hair more on both sides. */
function timeRange(data: Timeline): Domain {
  const moments = data.lines.flatMap(({ seconds }) => [seconds[0]!, seconds[seconds.length - 1]!]);
  for (const { kind, seconds } of data.marks) {
    if (kind === 'start' || kind === 'end') moments.push(seconds);
  }
  if (moments.length === 0) return { low: 0, high: 1 };
  const [low, high] = [Math.min(...moments), Math.max(...moments)];
  const pad = high > low ? (high - low) * 0.012 : 0.5;
  return { low: low - pad, high: high + pad };
}

function notes(values: ValueDomain, yAxis: { unit: string }, tickNote: string | null): string {
  const zoomed = values.zeroBased ? [] : [`The ${yAxis.unit} axis does not start at zero.`];
  return [...zoomed, ...(tickNote ? [tickNote] : [])].join(' ');
}

/** Half a line's width beyond the plot, so that a curve along its border is not shaved off. */
const around = ({ x, y, width, height }: Box): Box => ({
  x,
  y: y - 2,
  width,
  height: height + 3,
});
