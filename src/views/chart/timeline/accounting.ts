import { max } from 'd3-array';
import { scaleLinear } from 'd3-scale';
import { area, line as lineShape } from 'd3-shape';
import type { ProcessAccounting } from '../../../analyses/layers/accounting.ts';
import { formatBytes } from '../../../base/bytes.ts';
import { highestIndex } from '../../../base/search.ts';
import { count } from '../../../base/text.ts';
import { formatDuration } from '../../../base/time.ts';
import { kindName } from '../../../model/memory-kinds.ts';
import { processWords } from '../../report/layers.ts';
import { byteAxis } from '../axes.ts';
import { highestEach } from '../downsample.ts';
import { axisLabels, grid, labelRoom } from '../frame.ts';
import { LEGEND_LINE, legend } from '../legend.ts';
import { kindColor, LIGHT, type Theme } from '../palette.ts';
import { PEAK_ROOM, placePeak } from '../peak-mark.ts';
import { peakWords } from '../peak-words.ts';
import type { Box, Node, Scene } from '../scene.ts';
import {
  captionBelow,
  captionLines,
  footRoom,
  sinceWords,
  subtitleLine,
  xAxisTitle,
  yAxisTitle,
} from '../text-nodes.ts';
import { spanOf, timeScale } from '../time-scale.ts';
import type { ChartOptions } from '../titled-scene.ts';
import { titledScene } from '../titled-scene.ts';

const MARGIN = 24;

/** One layer of the stack, between two heights at each iteration. */
interface Layer {
  readonly label: string;
  readonly color: string;
  readonly opacity?: number;
  readonly low: Float64Array;
  readonly high: Float64Array;
}

/** What a process's memory is made of, over its iterations, and the line it should add up to. */
export function accountingChart(data: ProcessAccounting, options: ChartOptions): Scene {
  const { title, width = 960, height = 540, theme = LIGHT } = options;
  const inner = width - 2 * MARGIN;
  const layers = stack(data, theme);
  const what = data.measure === 'rss' ? 'RSS' : 'GPU memory';
  const known = data.measured.filter((bytes) => !Number.isNaN(bytes));
  const line = known.length > 0 ? [{ label: `${what}, measured`, color: theme.ink }] : [];
  const key = legend([...layers, ...line], MARGIN, MARGIN + 64, inner, false, theme);
  const top = MARGIN + 64 + key.lines * LEGEND_LINE + 2;
  const caption = captionLines(notes(data), inner);
  const bottom = MARGIN + footRoom(caption);
  const most = Math.max(1, maxOf(known), ...layers.map(({ high }) => maxOf(high)));
  const highest = most / (1 - PEAK_ROOM / Math.max(50, height - top - bottom));
  const yAxis = byteAxis({ low: 0, high: highest }, Math.max(3, (height - top - bottom) / 46));
  const left = MARGIN + 24 + labelRoom(yAxis);
  const plot: Box = {
    x: left,
    y: top,
    width: Math.max(50, width - left - MARGIN - 8),
    height: Math.max(50, height - top - bottom),
  };
  const { axis: xAxis, x } = timeScale(spanOf(data.seconds), plot.x, plot.width);
  const y = scaleLinear([0, highest], [plot.y + plot.height, plot.y]);
  const shown = highestEach(data.measured, plot.width);
  const at = (i: number) => x(data.seconds[i]!);
  const upTo = lineShape<number>(at, (i) => y(data.measured[i]!))
    .defined((i) => !Number.isNaN(data.measured[i]!))
    .digits(2);
  const peak = peakOf(data, layers, known.length > 0);
  const marked = peak && {
    at: { x: at(peak.at), y: y(peak.bytes) },
    words: peakWords(formatBytes(peak.bytes), `at ${formatDuration(data.seconds[peak.at]!)}`),
    color: theme.ink,
  };
  const subtitle = `${processWords(data)}, ${count(data.seconds.length, 'iteration')}`;
  return titledScene({ title, width, height, margin: MARGIN, theme }, [
    subtitleLine(MARGIN, MARGIN + 37, subtitle, inner, theme),
    ...key.nodes,
    ...grid(plot, xAxis, yAxis, x, y, theme),
    {
      node: 'group',
      clip: plot,
      children: [
        ...layers.map(
          ({ color, opacity = 0.9, low, high }): Node => ({
            node: 'path',
            d:
              area<number>(
                at,
                (i) => y(low[i]!),
                (i) => y(high[i]!),
              ).digits(2)(shown) ?? '',
            fill: color,
            opacity,
          }),
        ),
        { node: 'path', d: upTo(shown) ?? '', stroke: { color: theme.ink, width: 1.6 } },
      ],
    },
    ...axisLabels(plot, xAxis, yAxis, x, y, theme),
    ...(marked ? placePeak(marked, plot, theme).nodes : []),
    yAxisTitle(MARGIN, plot, yAxis.unit, theme),
    xAxisTitle(plot, sinceWords(xAxis.unit, data.origin), theme),
    ...captionBelow(plot, MARGIN, caption, theme),
  ]);
}

/** Of the measured line, or of what is upon each other where nothing was measured. */
function peakOf(
  { measured }: ProcessAccounting,
  layers: readonly Layer[],
  isMeasured: boolean,
): { at: number; bytes: number } | null {
  const values = isMeasured ? measured : layers.at(-1)?.high;
  const at = values ? highestIndex(values) : -1;
  return at < 0 ? null : { at, bytes: values![at]! };
}

/** Bands from the ground up, and what is left up to the measured line where that is above them. */
function stack({ bands, residue, measured, measure }: ProcessAccounting, theme: Theme): Layer[] {
  let low = new Float64Array(measured.length);
  const layers = bands.map(({ band, bytes }): Layer => {
    const high = low.map((value, at) => value + bytes[at]!);
    const layer = { color: kindColor(theme, band), low, high };
    low = high;
    return { ...layer, label: `${kindName(band)} · up to ${formatBytes(maxOf(bytes))}` };
  });
  if (!residue.some((bytes) => bytes > 0)) return layers;
  const high = low.map((value, at) => value + Math.max(0, residue[at] || 0));
  const rest = measure === 'rss' ? 'rest of the process' : 'context and others';
  const label = `${rest} · up to ${formatBytes(maxOf(residue))}`;
  return [...layers, { label, color: theme.mark, opacity: 0.4, low, high }];
}

function notes({ oneMoment, residue }: ProcessAccounting): string {
  const said: string[] = [];
  if (!oneMoment) said.push('Each part is drawn at its highest in the iteration: not all at once.');
  if (residue.some((bytes) => bytes < 0)) {
    said.push('Where the parts reach above the line, they add up to more than was measured.');
  }
  return said.join(' ');
}

const maxOf = (values: Float64Array) => max(values) ?? 0;
