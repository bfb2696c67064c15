import { scaleLinear } from 'd3-scale';
import type { Report } from '../../../analyses/report.ts';
import type { ProcessorLine, Timeline, TimelineLine } from '../../../analyses/timeline.ts';
import { formatBytes } from '../../../base/bytes.ts';
import { seriesLabel } from '../../../model/series-label.ts';
import { byteAxis, type Domain } from '../axes.ts';
import { axisLabels, grid, labelRoom } from '../frame.ts';
import { LEGEND_LINE, legend } from '../legend.ts';
import { LIGHT, seriesColor } from '../palette.ts';
import type { Box, Scene } from '../scene.ts';
import {
  captionBelow,
  captionLines,
  footRoom,
  sinceWords,
  xAxisTitle,
  yAxisTitle,
} from '../text-nodes.ts';
import { fitText } from '../text-width.ts';
import { paddedSpan, timeScale } from '../time-scale.ts';
import type { ChartOptions } from '../titled-scene.ts';
import { titledScene } from '../titled-scene.ts';
import { padded, type ValueDomain, valueDomain } from '../value-domain.ts';
import { annotations, curves } from './curves.ts';
import { leakLayer } from './leak-layer.ts';
import { hasLabels, MARK_LANE, markLayer } from './marks.ts';
import { processorPanel } from './processor-panel.ts';

export interface TimelineOptions extends ChartOptions {
  /** `points` is a scatter of all samples, as in the original leak test. */
  readonly style?: 'lines' | 'points';
  /** Shelves and trend of a leak, drawn on the series they were found in. */
  readonly leak?: Report['leak'];
  /** A panel below the memory, where the recording tells of the processors. */
  readonly processor?: ProcessorLine;
}

const MARGIN = 24;
/** Of the height below the legend, and what lies between the two. */
const PROCESSOR_SHARE = 0.26;
const BETWEEN = 20;

/** Memory over time, drawn. */
export function timelineChart(data: Timeline, options: TimelineOptions): Scene {
  const { title, width = 960, style = 'lines', theme = LIGHT, processor } = options;
  const { height = processor ? 680 : 540 } = options;
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
  const { axis: xAxis, x } = timeScale(xDomain, left, plotWidth);
  const laneBox = { x: left, y: top, width: plotWidth, height: 0 };
  const tickNote = markLayer(data.marks, laneBox, x, theme).note;
  const caption = captionLines(notes(data, values, yAxis, tickNote), inner);
  const bottom = MARGIN + footRoom(caption);
  const room = Math.max(50, height - top - bottom);
  const below = processor ? Math.round(PROCESSOR_SHARE * room) : 0;
  const plot: Box = { ...laneBox, height: processor ? room - below - BETWEEN : room };
  const lowest: Box = processor
    ? { ...plot, y: plot.y + plot.height + BETWEEN, height: below }
    : plot;
  const y = scaleLinear([yDomain.low, yDomain.high], [plot.y + plot.height, plot.y]);
  const marks = markLayer(data.marks, plot, x, theme);

  return titledScene({ title, width, height, margin: MARGIN, theme }, [
    ...key.nodes,
    ...grid(plot, xAxis, yAxis, x, y, theme),
    ...marks.behind,
    {
      node: 'group',
      clip: withBorder(plot),
      children: curves(data.lines, x, y, plot, style, values.zeroBased, theme),
    },
    ...axisLabels(plot, processor ? { ...xAxis, major: [] } : xAxis, yAxis, x, y, theme),
    ...marks.labels,
    ...leakLayer(data.range ? undefined : options.leak, data.lines, x, y, plot, yAxis.unit, theme),
    ...annotations(data.lines, x, y, plot, yAxis.unit, theme, data.marks),
    yAxisTitle(MARGIN, plot, yAxis.unit, theme),
    ...(processor ? processorPanel(processor, MARGIN, lowest, x, xAxis, theme) : []),
    xAxisTitle(lowest, sinceWords(xAxis.unit, data.origin), theme),
    ...captionBelow(lowest, MARGIN, caption, theme),
  ]);
}

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

/** From the first to the last sample, and the workload's start and end. */
function timeRange(data: Timeline): Domain {
  const moments = data.lines.flatMap(({ seconds }) => [seconds[0]!, seconds[seconds.length - 1]!]);
  for (const { kind, seconds } of data.marks) {
    if (kind === 'start' || kind === 'end') moments.push(seconds);
  }
  if (moments.length === 0) return { low: 0, high: 1 };
  return paddedSpan(Math.min(...moments), Math.max(...moments));
}

function notes(
  { range }: Timeline,
  values: ValueDomain,
  yAxis: { unit: string },
  tickNote: string | null,
): string {
  const part = range ? ['A part of the run; peaks are those within it.'] : [];
  const zoomed = values.zeroBased ? [] : [`The ${yAxis.unit} axis does not start at zero.`];
  return [...part, ...zoomed, ...(tickNote ? [tickNote] : [])].join(' ');
}

/** Half a line's width beyond the plot, so that a curve along its border is not shaved off. */
const withBorder = ({ x, y, width, height }: Box): Box => ({
  x,
  y: y - 2,
  width,
  height: height + 3,
});
