import { area } from 'd3-shape';
import { type PlainPlot, type PlainPlotOptions, plainPlot } from './plain-plot.ts';
import type { Node } from './scene.ts';
import { highestEach } from './timeline/downsample.ts';

export interface Band {
  readonly color: string;
  readonly bytes: Float64Array;
}

/** Bands upon each other, from the ground up; `at`: where a reader looks. */
export function stackPlot(
  bands: readonly Band[],
  xs: Float64Array,
  options: Omit<PlainPlotOptions, 'values'> & { readonly at?: number },
): PlainPlot {
  const tops: Float64Array[] = [];
  for (const { bytes } of bands) {
    const below = tops.at(-1);
    tops.push(bytes.map((value, i) => value + (below?.[i] ?? 0)));
  }
  const high = (tops.at(-1) ?? new Float64Array()).reduce((most, one) => Math.max(most, one), 1);
  const { theme, at } = options;
  return plainPlot({ ...options, values: { low: 0, high: high * 1.06 } }, (x, y, plot) => {
    const shown = highestEach(tops.at(-1) ?? new Float64Array(), plot.width);
    const areas = bands.map(({ color }, band): Node => {
      const shape = area<number>(
        (i) => x(xs[i]!),
        (i) => y(tops[band - 1]?.[i] ?? 0),
        (i) => y(tops[band]![i]!),
      ).digits(1);
      return { node: 'path', d: shape(shown) ?? '', fill: color, opacity: 0.9 };
    });
    if (at === undefined) return areas;
    const [from, to] = [plot.y, plot.y + plot.height].map((end) => ({ x: x(at), y: end }));
    const stroke = { color: theme.ink, width: 1.4, dash: [4, 3] };
    return [...areas, { node: 'line', from: from!, to: to!, stroke }];
  });
}
