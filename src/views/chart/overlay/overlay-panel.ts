import { scaleLinear } from 'd3-scale';
import type { OverlayLine } from '../../../analyses/overlay.ts';
import { formatMiB } from '../../../base/bytes.ts';
import type { Axis, Domain } from '../axes.ts';
import { areaPath, downsample, linePath, linesAndLonePoints } from '../downsample.ts';
import { axisLabels, grid, type Scale } from '../frame.ts';
import type { LineLook, Theme } from '../palette.ts';
import type { Box, Node, Point } from '../scene.ts';
import { yAxisTitle } from '../text-nodes.ts';
import { textWidth } from '../text-width.ts';
import type { TimeScale } from '../time-scale.ts';

export interface OverlayPlot {
  readonly plot: Box;
  /** Left of the numbers of its axis. */
  readonly edge: number;
  readonly domain: Domain;
  readonly yAxis: Axis;
  /** The same in all panels. */
  readonly time: TimeScale;
  /** The highest first. */
  readonly lines: readonly DrawnLine[];
  /** Whose peaks are marked here, and which of them in words. */
  readonly ringed: readonly DrawnLine[];
  readonly labelled: readonly DrawnLine[];
  readonly theme: Theme;
}

/** Curves that leave the plot go on so far: a renderer need not cope with what is miles away. */
const BEYOND = 8;

/** One plot: all curves over the range of its axis. */
export function overlayPanel(panel: OverlayPlot): Node[] {
  const { plot, domain, yAxis, time, lines, theme } = panel;
  const [top, bottom] = [plot.y, plot.y + plot.height];
  const y = scaleLinear([domain.low, domain.high], [bottom, top]);
  const near: Scale = (value) => Math.max(top - BEYOND, y(value));
  return [
    ...grid(plot, time.axis, yAxis, time.x, y, theme),
    {
      node: 'group',
      // Half a line's width more, so that a curve along the border is not shaved off.
      clip: { ...plot, y: plot.y - 1, height: plot.height + 2 },
      children: overlayCurves(lines, time.x, near),
    },
    ...axisLabels(plot, time.axis, yAxis, time.x, y, theme),
    ...overlayPeaks(panel.ringed, panel.labelled, time.x, y, plot, theme),
    yAxisTitle(panel.edge, plot, yAxis.unit, theme),
  ];
}

/** A run with the look it has in curve and legend. */
export interface DrawnLine extends OverlayLine {
  readonly look: LineLook;
}

const LABEL_SIZE = 12;
const LABEL_HEIGHT = LABEL_SIZE + 5;
const RING = 3.6;
/** The legend has all figures; more words would hide the curves. */
const MOST_LABELS = 8;

/** All areas, then all lines over them: the highest first, so that it lies behind the others. */
function overlayCurves(lines: readonly DrawnLine[], x: Scale, y: Scale): Node[] {
  // Many layers of the same strength would end in one dark block.
  const opacity = Math.max(0.04, Math.min(0.2, 0.55 / lines.length));
  const areas: Node[] = [];
  const strokes: Node[] = [];
  for (const { seconds, bytes, look } of lines) {
    const { wide, lone } = linesAndLonePoints(downsample(seconds, bytes, x, y));
    const { color, dash } = look;
    if (wide.length > 0) {
      areas.push({ node: 'path', d: areaPath(wide, y(0)), fill: color, opacity });
      strokes.push({ node: 'path', d: linePath(wide), stroke: { color, width: 1.7, dash } });
    }
    if (lone.length > 0) {
      strokes.push({ node: 'dots', at: lone, radius: 2.2, fill: color, opacity: 1 });
    }
  }
  return [...areas, ...strokes];
}

/** A ring at each peak, and its name and value where they cover neither a ring nor another label. */
function overlayPeaks(
  ringed: readonly DrawnLine[],
  labelled: readonly DrawnLine[],
  x: Scale,
  y: Scale,
  plot: Box,
  theme: Theme,
): Node[] {
  const peakOf = ({ peak }: DrawnLine): Point => ({ x: x(peak.seconds), y: y(peak.bytes) });
  const rings = ringed.map(
    (line): Node => ({
      node: 'circle',
      ...peakOf(line),
      radius: RING,
      fill: theme.background,
      stroke: { color: line.look.color, width: 2 },
    }),
  );
  const taken = ringed
    .map(peakOf)
    .map((at): Box => ({ x: at.x - RING, y: at.y - RING, width: 2 * RING, height: 2 * RING }));
  const labels: Node[] = [];
  for (const line of labelled.slice(0, MOST_LABELS)) {
    const words = `${line.name} ${formatMiB(line.peak.bytes)}`;
    const width = textWidth(words, LABEL_SIZE, 'semibold') + 8;
    const free = places(peakOf(line), width, plot).find(
      (box) => !taken.some((other) => overlap(box, other)),
    );
    if (!free) continue;
    taken.push(free);
    labels.push({
      node: 'text',
      x: free.x + free.width / 2,
      y: free.y + free.height - 4,
      text: words,
      size: LABEL_SIZE,
      weight: 'semibold',
      fill: theme.ink,
      anchor: 'middle',
      halo: theme.background,
    });
  }
  return [...rings.reverse(), ...labels];
}

/** Where a label may stand: over the peak, to its left where curves rise, or to its right. */
function places(at: Point, width: number, plot: Box): Box[] {
  const box = (x: number, y: number): Box => ({ x, y, width, height: LABEL_HEIGHT });
  const above = at.y - LABEL_HEIGHT - RING - 2;
  const beside = at.y - LABEL_HEIGHT / 2;
  const inside = Math.min(Math.max(at.x - width / 2, plot.x), plot.x + plot.width - width);
  return [
    box(inside, above),
    box(at.x - width - RING - 3, beside),
    box(at.x - width, above),
    box(at.x, above),
    box(at.x + RING + 3, beside),
  ].filter(
    (one) => one.x >= plot.x && one.x + width <= plot.x + plot.width + 8 && one.y > plot.y - 8,
  );
}

const overlap = (a: Box, b: Box) =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
