import { scaleLinear } from 'd3-scale';
import { formatBytes } from '../../../base/bytes.ts';
import { highestIndex } from '../../../base/search.ts';
import { count } from '../../../base/text.ts';
import { byteAxis, type Domain } from '../axes.ts';
import { areaPath, downsample, linePath, linesAndLonePoints } from '../downsample.ts';
import { axisLabels, grid, labelRoom } from '../frame.ts';
import { LEGEND_LINE, legend } from '../legend.ts';
import { countAxis, type PlainPlot, type PlotPeak, placePeaks } from '../page-plots.ts';
import type { Theme } from '../palette.ts';
import { PEAK_ROOM } from '../peak-mark.ts';
import { peakWords } from '../peak-words.ts';
import type { Box, Node } from '../scene.ts';
import { headline, text } from '../text-nodes.ts';
import { fitText } from '../text-width.ts';
import type { WhatIfCurves } from './curves.ts';
import { alarmMarks, limitLine } from './marks.ts';

interface Options {
  readonly width: number;
  readonly height: number;
  readonly theme: Theme;
  /** Events that are shown; all of them where it is left out. */
  readonly domain?: Domain;
}

const MARGIN = 8;
const FOOT = 42;
const TITLE = 14;
/** A page may be set in a wider font than the one that is measured. */
const WIDER = 1.15;
/** A limit so far above the curves would press them flat: it is named instead. */
const FAR = 2.5;

/** The recorded run and a replay of it over the events of the trace. */
export function whatIfPlot(curves: WhatIfCurves, options: Options): PlainPlot {
  const { width, height, theme } = options;
  const { recorded, replayed, limit } = curves;
  const inner = width - 2 * MARGIN;
  const looks = looksOf(theme);
  const most = Math.max(1, highest(recorded.reserved), highest(replayed.reserved));
  const near = limit !== null && limit.bytes <= most * FAR;
  const key = legend(keyOf(curves, near, theme, inner), MARGIN, 48, inner, false, theme);
  const top = 40 + key.lines * LEGEND_LINE + 8;
  const tall = Math.max(60, height - top - FOOT);
  const high = Math.max(most, near ? limit.bytes : 0) / (1 - PEAK_ROOM / tall);
  const yAxis = byteAxis({ low: 0, high }, Math.max(2, tall / 44));
  const left = MARGIN + 18 + labelRoom(yAxis);
  const plot: Box = {
    ...{ x: left, y: top, height: tall },
    width: Math.max(40, width - left - MARGIN - 14),
  };
  const domain = options.domain ?? wholeOf(curves);
  const x = scaleLinear([domain.low, domain.high], [plot.x, plot.x + plot.width]);
  const y = scaleLinear([0, high], [plot.y + plot.height, plot.y]);
  const xAxis = countAxis(domain, Math.max(2, Math.floor(plot.width / 86)));
  const draw = (values: Float64Array, end = wholeOf(curves).high) =>
    linesAndLonePoints(downsample(...steps(values, curves, end), x, y)).wide;
  const used = draw(recorded.inUse);
  const line = (
    values: Float64Array,
    look: { color: string; width: number },
    end?: number,
  ): Node => ({
    node: 'path',
    d: linePath(draw(values, end), 1),
    stroke: look,
  });
  const peaks = placePeaks(peaksOf(curves, theme), plot, x, y, theme);
  const title = `Reserved in the recorded run, and ${curves.words}`;
  const middle = plot.y + plot.height / 2;
  const nodes: Node[] = [
    headline(MARGIN, 20, title, inner / WIDER, TITLE, theme),
    ...key.nodes,
    ...grid(plot, xAxis, yAxis, x, y, theme),
    {
      node: 'group',
      clip: { ...plot, y: plot.y - 1, height: plot.height + 2 },
      children: [
        { node: 'path', d: areaPath(used, y(0), 1), fill: looks.inUse.color, opacity: 0.28 },
        line(recorded.reserved, looks.recorded),
        line(replayed.reserved, looks.replayed, endOf(curves)),
      ],
    },
    ...axisLabels(plot, xAxis, yAxis, x, y, theme),
    ...(near ? [limitLine(limit.bytes, plot, y, theme)] : []),
    { node: 'group', clip: alarmRoom(plot), children: alarmMarks(curves, plot, x, y, theme) },
    ...peaks.flatMap((peak) => peak.nodes),
    text(plot.x + plot.width / 2, height - 4, 'events of the trace', 12, theme.muted, {
      anchor: 'middle',
    }),
    text(MARGIN + 8, middle, yAxis.unit, 12, theme.muted, { anchor: 'middle', upwards: true }),
  ];
  const scene = { width, height, background: theme.background, title, nodes };
  return { scene, plot, x, y, peaks };
}

/** All events of the trace, by their numbers. */
export const wholeOf = ({ firstEvent, events }: WhatIfCurves): Domain => ({
  low: firstEvent,
  high: firstEvent + Math.max(1, events),
});

/** Marks and their words may stand out a little, but not over what is beside the plot. */
const alarmRoom = ({ x, y, width, height }: Box): Box => ({
  x: x - 7,
  y: y - 7,
  width: width + 14,
  height: height + 14,
});

/** Of the recorded run, and of the replay where it is another. */
function peaksOf(curves: WhatIfCurves, theme: Theme): PlotPeak[] {
  const { recorded, replayed, firstEvent, stretch, events } = curves;
  const looks = looksOf(theme);
  const peak = (values: Float64Array, color: string): PlotPeak[] => {
    const at = highestIndex(values);
    if (at < 0) return [];
    const [from, to] = [at * stretch, Math.min((at + 1) * stretch, Math.max(1, events))];
    const number = (event: number) => (firstEvent + event).toLocaleString('en-US');
    const where =
      to - from > 1 ? `events ${number(from)} to ${number(to - 1)}` : `event ${number(from)}`;
    const words = peakWords(formatBytes(values[at]!), where);
    return [{ x: firstEvent + (from + to) / 2, bytes: values[at]!, words, color }];
  };
  const [own, other] = [
    peak(recorded.reserved, looks.recorded.color),
    peak(replayed.reserved, looks.replayed.color),
  ];
  return own[0]?.words === other[0]?.words ? own : [...own, ...other];
}

/** The colours of the three curves, the same in picture, legend and tip. */
export const looksOf = (theme: Theme) => ({
  // Wider and behind, so that both are seen where they are the same.
  recorded: { color: theme.series[1]!, width: 3.4 },
  replayed: { color: theme.series[0]!, width: 1.7 },
  inUse: { color: theme.series[2]!, width: 1.7 },
});

const highest = (values: Float64Array) => values.reduce((most, value) => Math.max(most, value), 0);

const endOf = ({ dies, firstEvent, events }: WhatIfCurves) =>
  firstEvent + (dies ? Math.max(0, dies.event) + 1 : Math.max(1, events));

/** The longest last, which may need a line of its own. */
function keyOf(curves: WhatIfCurves, near: boolean, theme: Theme, width: number) {
  const { limit } = curves;
  const { recorded, replayed, inUse } = looksOf(theme);
  const peak = (values: Float64Array) => `at most ${formatBytes(highest(values))}`;
  const retries = curves.replayed.retries.reduce((sum, one) => sum + one, 0);
  const more = [
    ...(curves.dies ? ['until it dies'] : []),
    ...(retries > 0 ? [`${count(retries, 'retry', 'retries')} (rings)`] : []),
  ];
  return [
    { label: `recorded, ${peak(curves.recorded.reserved)}`, color: recorded.color },
    { label: `in use, ${peak(curves.recorded.inUse)}`, color: inUse.color },
    ...(limit
      ? [
          {
            label: `${limit.words}: ${formatBytes(limit.bytes)}${near ? '' : ', far above'}`,
            color: theme.alarm,
          },
        ]
      : []),
    {
      label: [curves.words, peak(curves.replayed.reserved), ...more].join(', '),
      color: replayed.color,
    },
  ].map(({ label, color }) => ({ label: fitText(label, width - 40, 12.5), color }));
}

/** A level for each stretch, with upright edges between them. */
function steps(
  values: Float64Array,
  { firstEvent, stretch }: WhatIfCurves,
  end: number,
): [Float64Array, Float64Array] {
  const xs = new Float64Array(2 * values.length);
  const ys = new Float64Array(2 * values.length);
  for (const [at, value] of values.entries()) {
    xs[2 * at] = Math.min(firstEvent + at * stretch, end);
    xs[2 * at + 1] = Math.min(firstEvent + (at + 1) * stretch, end);
    ys[2 * at] = value;
    ys[2 * at + 1] = value;
  }
  return [xs, ys];
}
