import { type ScaleLinear, scaleLinear } from 'd3-scale';
import { type Axis, byteAxis, type Domain, timeAxis } from './axes.ts';
import { areaPath, downsample, linePath, linesAndLonePoints } from './downsample.ts';
import { axisLabels, grid, labelRoom } from './frame.ts';
import type { LineLook, Theme } from './palette.ts';
import { PEAK_ROOM, type PeakToPlace, type PlacedPeak, placePeak } from './peak-mark.ts';
import type { Box, Node, Scene } from './scene.ts';
import { type StackedBand, stackedAreas } from './stacked-areas.ts';
import { text } from './text-nodes.ts';
import { spanOf } from './time-scale.ts';

/** What the numbers below a plot count. */
type AcrossUnit = 'seconds' | 'iterations';

export interface PlainPlotOptions {
  /** For readers who cannot see it. */
  readonly title: string;
  readonly width: number;
  readonly height: number;
  readonly theme: Theme;
  readonly xUnit: AcrossUnit;
  readonly xWords: string;
  readonly domain: Domain;
  readonly values: Domain;
  /** Marked where they are in sight; the first has its words in the best place. */
  readonly peaks?: readonly PlotPeak[];
}

/** A peak in the units of its plot. */
export interface PlotPeak {
  readonly x: number;
  readonly bytes: number;
  readonly words: string;
  readonly color: string;
}

/** A picture with the scales that lead from a pointer back to its data. */
export interface PlainPlot {
  readonly scene: Scene;
  readonly plot: Box;
  readonly x: ScaleLinear<number, number>;
  readonly y: ScaleLinear<number, number>;
  /** In the order they were given, without those out of sight. */
  readonly peaks: readonly PlacedPeak[];
}

const MARGIN = 8;
const FOOT = 40;
const HEAD = 10;

/** Axes and a grid, without a heading: for a page that says around the picture what it shows. */
export function plainPlot(
  options: PlainPlotOptions,
  draw: (x: PlainPlot['x'], y: PlainPlot['y'], plot: Box) => readonly Node[],
): PlainPlot {
  const { title, width, height, theme, xUnit, xWords, domain, peaks = [] } = options;
  const tall = Math.max(30, height - HEAD - FOOT);
  const values = peaks.length > 0 ? withRoom(options.values, PEAK_ROOM / tall) : options.values;
  const yAxis = byteAxis(values, Math.max(2, tall / 44));
  const left = MARGIN + 18 + labelRoom(yAxis);
  const plot: Box = {
    x: left,
    y: HEAD,
    width: Math.max(40, width - left - MARGIN - 14),
    height: tall,
  };
  const x = scaleLinear([domain.low, domain.high], [plot.x, plot.x + plot.width]);
  const y = scaleLinear([values.low, values.high], [plot.y + plot.height, plot.y]);
  const most = Math.max(2, Math.floor(plot.width / 72));
  const xAxis = xUnit === 'seconds' ? timeAxis(domain, most) : countAxis(domain, most);
  const words = xUnit === 'seconds' ? `${xAxis.unit} ${xWords}` : xWords;
  const middle = plot.y + plot.height / 2;
  const look = { anchor: 'middle', upwards: true } as const;
  const placed = placePeaks(peaks, plot, x, y, theme);
  return {
    plot,
    x,
    y,
    peaks: placed,
    scene: {
      ...{ width, height, title },
      background: theme.background,
      nodes: [
        ...grid(plot, xAxis, yAxis, x, y, theme),
        // Half a line's width more, so that a curve along the border is not shaved off.
        {
          node: 'group',
          clip: { ...plot, y: plot.y - 1, height: plot.height + 2 },
          children: draw(x, y, plot),
        },
        ...axisLabels(plot, xAxis, yAxis, x, y, theme),
        ...placed.flatMap(({ nodes }) => nodes),
        text(plot.x + plot.width / 2, height - 4, words, 12, theme.muted, { anchor: 'middle' }),
        text(MARGIN + 8, middle, yAxis.unit, 12, theme.muted, look),
      ],
    },
  };
}

const withRoom = ({ low, high }: Domain, share: number): Domain => ({
  low,
  high: low + (high - low) / (1 - Math.min(0.4, share)),
});

/** Those within a plot, none of whose words cover another's. */
export function placePeaks(
  peaks: readonly PlotPeak[],
  plot: Box,
  x: (value: number) => number,
  y: (value: number) => number,
  theme: Theme,
): PlacedPeak[] {
  const isInside = ({ at }: PeakToPlace) =>
    at.x >= plot.x - 0.5 && at.x <= plot.x + plot.width + 0.5 && at.y >= plot.y - 0.5;
  const placed: PlacedPeak[] = [];
  for (const one of peaks) {
    const spot = { at: { x: x(one.x), y: y(one.bytes) }, words: one.words, color: one.color };
    if (!isInside(spot)) continue;
    const taken = placed.flatMap(({ label, ring }) => [label, ring]);
    placed.push(placePeak(spot, plot, theme, taken));
  }
  return placed;
}

/** Whole numbers. */
export function countAxis({ low, high }: Domain, most: number): Axis {
  const ticks = scaleLinear([low, high], [0, 1])
    .ticks(most)
    .filter((value) => Number.isInteger(value));
  return {
    unit: '',
    major: ticks.map((value) => ({ value, label: value.toLocaleString('en-US') })),
    minor: [],
  };
}

interface PlottedLine {
  readonly xs: Float64Array;
  readonly bytes: Float64Array;
  readonly look: LineLook;
  /** Behind the others, without a name of its own. */
  readonly faint?: boolean;
}

/** A tenth of a pixel is enough on a screen, where it is drawn anew with each move. */
const DIGITS = 1;

/** Curves over each other, without words: a page has its legend and its table. */
export function linePlot(
  lines: readonly PlottedLine[],
  options: Omit<PlainPlotOptions, 'values'> & { readonly values?: Domain },
): PlainPlot {
  const { theme, domain } = options;
  const values = options.values ?? valuesOf(lines, domain);
  return plainPlot({ ...options, values }, (x, y) => {
    const ground = y(Math.max(0, values.low));
    const opacity = Math.max(0.03, Math.min(0.16, 0.4 / lines.length));
    return lines.flatMap(({ xs, bytes, look, faint }): Node[] => {
      const { wide, lone } = linesAndLonePoints(downsample(xs, bytes, x, y));
      const color = faint ? theme.mark : look.color;
      return [
        ...(faint || wide.length === 0
          ? []
          : [{ node: 'path', d: areaPath(wide, ground, DIGITS), fill: color, opacity } as Node]),
        {
          node: 'path',
          d: linePath(wide, DIGITS),
          stroke: { color, width: faint ? 1 : 1.7, dash: look.dash },
          ...(faint ? { opacity: 0.6 } : {}),
        },
        { node: 'dots', at: lone, radius: 2.2, fill: color, opacity: 1 },
      ];
    });
  });
}

/** From zero, or below where a run ended lower than it began, to a little above what is in sight. */
export function valuesOf(
  lines: readonly Pick<PlottedLine, 'xs' | 'bytes'>[],
  domain: Domain,
): Domain {
  let [low, high] = [0, 1];
  for (const { xs, bytes } of lines) {
    for (const [i, value] of bytes.entries()) {
      if (xs[i]! < domain.low || xs[i]! > domain.high) continue;
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  return { low, high: high + (high - low) * 0.06 };
}

/** From the first to the last of all. */
export function extentOf(
  lines: readonly { readonly xs: Float64Array | readonly number[] }[],
): Domain {
  const ends = lines.flatMap(({ xs }) => (xs.length > 0 ? [xs[0]!, xs.at(-1)!] : []));
  return spanOf(ends.length > 0 ? [Math.min(...ends), Math.max(...ends)] : []);
}

/** Bands upon each other, from the ground up; `at`: where a reader looks. */
export function stackPlot(
  bands: readonly StackedBand[],
  xs: Float64Array,
  options: Omit<PlainPlotOptions, 'values'> & { readonly at?: number },
): PlainPlot {
  const high = xs.reduce(
    (most, _, i) =>
      Math.max(
        most,
        bands.reduce((sum, { bytes }) => sum + bytes[i]!, 0),
      ),
    1,
  );
  const { theme, at, peaks } = options;
  const values = { low: 0, high: peaks ? high : high * 1.06 };
  return plainPlot({ ...options, values }, (x, y, plot) => {
    const areas = stackedAreas(xs, bands, x, y, false);
    if (at === undefined) return areas;
    const [from, to] = [plot.y, plot.y + plot.height].map((end) => ({ x: x(at), y: end }));
    const stroke = { color: theme.ink, width: 1.4, dash: [4, 3] };
    return [...areas, { node: 'line', from: from!, to: to!, stroke }];
  });
}
