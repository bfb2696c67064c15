import { sum } from 'd3-array';
import type { TimelineLine, TimelineMark } from '../../../analyses/timeline.ts';
import { lastMarks } from '../../../model/last-marks.ts';
import { formatIn } from '../axes.ts';
import {
  areaPath,
  downsample,
  linePath,
  linesAndLonePoints,
  type PixelLine,
  scatter,
} from '../downsample.ts';
import type { Scale } from '../frame.ts';
import { seriesColor, type Theme } from '../palette.ts';
import { marksWords, peakWords, timeWords } from '../peak-words.ts';
import type { Box, Node, Point } from '../scene.ts';
import { textWidth } from '../text-width.ts';

/** The data themselves, as lines or as a scatter; `shaded` only above zero, where an area means an amount. */
export function curves(
  lines: readonly TimelineLine[],
  x: Scale,
  y: Scale,
  plot: Box,
  style: 'lines' | 'points',
  shaded: boolean,
  theme: Theme,
): Node[] {
  // The first series is the one that matters, so it is drawn last, on top.
  return lines
    .map((line, i): Node[] => {
      const fill = seriesColor(theme, i);
      if (style === 'points') {
        const at = scatter(line.seconds, line.bytes, x, y);
        return [{ node: 'dots', at, radius: 1.5, fill, opacity: 0.9 }];
      }
      const runs = downsample(line.seconds, line.bytes, x, y);
      return [...(i === 0 && shaded ? [shade(runs, plot, fill)] : []), ...strokes(runs, fill)];
    })
    .reverse()
    .flat();
}

function strokes(runs: readonly PixelLine[], fill: string): Node[] {
  const { wide, lone } = linesAndLonePoints(runs);
  const nodes: Node[] = [];
  if (wide.length > 0) {
    nodes.push({ node: 'path', d: linePath(wide), stroke: { color: fill, width: 1.7 } });
  }
  if (lone.length > 0) nodes.push({ node: 'dots', at: lone, radius: 2.2, fill, opacity: 1 });
  return nodes;
}

function shade(runs: readonly PixelLine[], plot: Box, fill: string): Node {
  return { node: 'path', d: areaPath(runs, plot.y + plot.height), fill, opacity: 0.09 };
}

/** Peak of the first series in words, of the others as a ring; the legend has their figures. */
export function annotations(
  lines: readonly TimelineLine[],
  x: Scale,
  y: Scale,
  plot: Box,
  unit: string,
  theme: Theme,
  marks: readonly TimelineMark[],
): Node[] {
  const rings = lines.map(
    ({ peak }, i): Node => ({
      node: 'circle',
      x: x(peak.seconds),
      y: y(peak.bytes),
      radius: 3.6,
      fill: theme.background,
      stroke: { color: seriesColor(theme, i), width: 2 },
    }),
  );
  const first = lines[0];
  if (!first) return [];
  const at = { x: x(first.peak.seconds), y: y(first.peak.bytes) };
  const runs = lines.flatMap((line) => downsample(line.seconds, line.bytes, x, y));
  const where = marksWords(lastMarks(marks, first.peak.seconds));
  const facts = { ...first.peak, where, kernel: first.kernelPeak };
  return [...rings.reverse(), ...peakLabel(facts, at, plot, y, unit, runs, theme)];
}

const SIZE = 12.5;
/** Nearer than this the kernel's level would run through the label of the peak. */
const CLOSE = 14;

interface PeakFacts {
  readonly bytes: number;
  readonly seconds: number;
  /** By the marks before it; empty where there are none. */
  readonly where: string;
  /** The kernel's exact figure, where it is higher than any sample. */
  readonly kernel: number | null;
}

/** Value and place beside the peak, where it covers least of the curves. */
function peakLabel(
  peak: PeakFacts,
  at: Point,
  plot: Box,
  y: Scale,
  unit: string,
  curves: readonly PixelLine[],
  theme: Theme,
): Node[] {
  const near = peak.kernel !== null && at.y - y(peak.kernel) < CLOSE;
  const kernel = near ? ` (the kernel's own: ${formatIn(unit, peak.kernel!)})` : '';
  const where = peak.where || timeWords(peak.seconds);
  const text = `${peakWords(formatIn(unit, peak.bytes), where)}${kernel}`;
  const half = textWidth(text, SIZE, 'semibold') / 2 + 4;
  const place = bestPlace(at, half, plot, curves);
  const label: Node = {
    node: 'text',
    ...place,
    text,
    size: SIZE,
    weight: 'semibold',
    fill: theme.ink,
    anchor: 'middle',
    halo: theme.background,
  };
  const level =
    peak.kernel !== null && !near ? kernelLevel(peak.kernel, at, plot, y, unit, theme) : [];
  return [...level, label];
}

/** Above the peak unless another curve is there; the axis keeps the room above free. */
function bestPlace(at: Point, half: number, plot: Box, curves: readonly PixelLine[]): Point {
  const within = (x: number) => Math.min(Math.max(x, plot.x + half), plot.x + plot.width - half);
  const places = [
    { x: within(at.x), y: at.y - 11 },
    { x: within(at.x + half + 10), y: at.y - 11 },
    { x: within(at.x - half - 10), y: at.y - 11 },
    { x: within(at.x + half + 10), y: at.y + 5 },
    { x: within(at.x - half - 10), y: at.y + 5 },
    { x: within(at.x), y: at.y + 24 },
  ].filter(({ y }, i) => i === 0 || y < plot.y + plot.height - 14);
  const hits = places.map((place) => {
    const box = { x: place.x - half, y: place.y - SIZE - 1, width: 2 * half, height: SIZE + 6 };
    return sum(curves, (run) => crossings(run, box));
  });
  return places[hits.indexOf(Math.min(...hits))]!;
}

/** Pieces of a curve that touch a box, judged by their extent: they are a pixel or so wide. */
function crossings(run: PixelLine, box: Box): number {
  let found = 0;
  for (let i = 1; i < run.length; i++) {
    const [a, b] = [run[i - 1]!, run[i]!];
    const across = Math.max(a.x, b.x) > box.x && Math.min(a.x, b.x) < box.x + box.width;
    const upright = Math.max(a.y, b.y) > box.y && Math.min(a.y, b.y) < box.y + box.height;
    if (across && upright) found++;
  }
  return found;
}

/** The kernel saw more than any sample: its figure as a dashed level, labelled away from the peak. */
function kernelLevel(
  bytes: number,
  peak: Point,
  plot: Box,
  y: Scale,
  unit: string,
  theme: Theme,
): Node[] {
  const right = plot.x + plot.width;
  const peakOnRight = peak.x > plot.x + plot.width / 2;
  return [
    {
      node: 'line',
      from: { x: plot.x, y: y(bytes) },
      to: { x: right, y: y(bytes) },
      stroke: { color: theme.muted, width: 1, dash: [5, 4] },
    },
    {
      node: 'text',
      x: peakOnRight ? plot.x + 26 : right - 26,
      y: y(bytes) - 6,
      text: `the kernel's own peak ${formatIn(unit, bytes)}`,
      size: 11.5,
      fill: theme.muted,
      anchor: peakOnRight ? 'start' : 'end',
      halo: theme.background,
    },
  ];
}
