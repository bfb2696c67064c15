import { area, line as lineShape } from 'd3-shape';
import type { Domain } from './axes.ts';
import { downsample } from './downsample.ts';
import type { LineLook } from './palette.ts';
import { type PlainPlot, type PlainPlotOptions, plainPlot } from './plain-plot.ts';
import type { Node, Point } from './scene.ts';

export interface PlottedLine {
  readonly xs: Float64Array;
  readonly bytes: Float64Array;
  readonly look: LineLook;
  /** Behind the others, without a name of its own. */
  readonly faint?: boolean;
}

const shape = lineShape<Point>(
  ({ x }) => x,
  ({ y }) => y,
).digits(1);

/** Curves over each other, without words: a page has its legend and its table. */
export function linePlot(
  lines: readonly PlottedLine[],
  options: Omit<PlainPlotOptions, 'values'> & { readonly values?: Domain },
): PlainPlot {
  const { theme, domain } = options;
  const values = options.values ?? valuesOf(lines, domain);
  return plainPlot({ ...options, values }, (x, y) => {
    const under = area<Point>(
      (point) => point.x,
      y(Math.max(0, values.low)),
      (point) => point.y,
    ).digits(1);
    const opacity = Math.max(0.03, Math.min(0.16, 0.4 / lines.length));
    return lines.flatMap(({ xs, bytes, look, faint }): Node[] => {
      const runs = downsample(xs, bytes, x, y);
      const color = faint ? theme.mark : look.color;
      const wide = runs.filter((run) => run.length > 1);
      const lone = runs.filter((run) => run.length === 1).map(([point]) => point!);
      return [
        ...(faint || wide.length === 0
          ? []
          : [
              {
                node: 'path',
                d: wide.map((run) => under(run)).join(''),
                fill: color,
                opacity,
              } as Node,
            ]),
        {
          node: 'path',
          d: wide.map((run) => shape(run)).join(''),
          stroke: { color, width: faint ? 1 : 1.7, dash: look.dash },
          ...(faint ? { opacity: 0.6 } : {}),
        },
        // A lone sample has no line: without a dot it would vanish.
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
export function extentOf(lines: readonly Pick<PlottedLine, 'xs'>[]): Domain {
  const ends = lines.flatMap(({ xs }) => (xs.length > 0 ? [xs[0]!, xs.at(-1)!] : []));
  const [low, high] = ends.length > 0 ? [Math.min(...ends), Math.max(...ends)] : [0, 1];
  return high > low ? { low, high } : { low: low - 0.5, high: low + 0.5 };
}
