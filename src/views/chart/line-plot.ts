import { spanOf } from './across.ts';
import type { Domain } from './axes.ts';
import type { LineLook } from './palette.ts';
import { type PlainPlot, type PlainPlotOptions, plainPlot } from './plain-plot.ts';
import type { Node } from './scene.ts';
import { downsample } from './timeline/downsample.ts';
import { areaPath, linePath, wideAndLone } from './timeline/run-paths.ts';

export interface PlottedLine {
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
      const { wide, lone } = wideAndLone(downsample(xs, bytes, x, y));
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
export function extentOf(lines: readonly Pick<PlottedLine, 'xs'>[]): Domain {
  const ends = lines.flatMap(({ xs }) => (xs.length > 0 ? [xs[0]!, xs.at(-1)!] : []));
  return spanOf(ends.length > 0 ? [Math.min(...ends), Math.max(...ends)] : []);
}
