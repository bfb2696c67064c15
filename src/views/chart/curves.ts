import type { TimelineLine } from '../../analyses/timeline.ts';
import type { Scale } from './frame.ts';
import { seriesColor, type Theme } from './palette.ts';
import type { Box, Node } from './scene.ts';
import { downsample, type Run, scatter } from './timeline/downsample.ts';
import { peakLabel } from './timeline/peak-label.ts';
import { areaPath, linePath, wideAndLone } from './timeline/run-paths.ts';

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

function strokes(runs: readonly Run[], fill: string): Node[] {
  const { wide, lone } = wideAndLone(runs);
  const nodes: Node[] = [];
  if (wide.length > 0) {
    nodes.push({ node: 'path', d: linePath(wide), stroke: { color: fill, width: 1.7 } });
  }
  if (lone.length > 0) nodes.push({ node: 'dots', at: lone, radius: 2.2, fill, opacity: 1 });
  return nodes;
}

function shade(runs: readonly Run[], plot: Box, fill: string): Node {
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
  const facts = { ...first.peak, kernel: first.kernelPeak };
  return [...rings.reverse(), ...peakLabel(facts, at, plot, y, unit, runs, theme)];
}
