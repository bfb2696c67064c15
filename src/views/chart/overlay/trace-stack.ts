import { area, curveStepAfter, line } from 'd3-shape';
import type { StepMoment } from '../../../analyses/allocations/moment.ts';
import { formatBytes } from '../../../base/bytes.ts';
import { lastUpTo } from '../../../base/search.ts';
import type { Domain } from '../axes.ts';
import { type PlainPlot, type PlainPlotOptions, plainPlot } from '../page-plots.ts';
import type { Theme } from '../palette.ts';
import { peakWords, stepWords } from '../peak-words.ts';
import type { Node } from '../scene.ts';
import { stackedAreas } from '../stacked-areas.ts';

/** One trace: categories upon each other over steps or events. */
export interface TraceStack {
  readonly xs: Float64Array;
  /** From the ground up. */
  readonly bands: readonly StackBand[];
  readonly peak: StepMoment & { readonly x: number; readonly bytes: number };
}

interface StackBand {
  readonly key: string;
  readonly color: string;
  readonly bytes: Float64Array;
}

/** What a reader points at: a category where it lies, or a part of all, drawn from the ground. */
export type Lit =
  | { readonly category: string }
  | { readonly bytes: Float64Array; readonly color: string };

interface Options extends PlainPlotOptions {
  /** The whole of the other trace, as a line. */
  readonly outline: Pick<TraceStack, 'xs' | 'bands'>;
  readonly lit: Lit | null;
}

const FADED = 0.22;
const DIGITS = 1;

/** A trace as a stack, the other one's outline over it, its peak marked. */
export function traceStackPlot(stack: TraceStack, options: Options): PlainPlot {
  const { theme, lit, outline } = options;
  const peak = {
    x: stack.peak.x,
    bytes: stack.peak.bytes,
    words: peakWords(formatBytes(stack.peak.bytes), stepWords(stack.peak)),
    color: theme.ink,
  };
  return plainPlot({ ...options, peaks: [peak] }, (x, y) => {
    const { xs, bands } = stack;
    const shape = (low: (i: number) => number, high: (i: number) => number) =>
      area<number>(
        (i) => x(xs[i]!),
        (i) => y(low(i)),
        (i) => y(high(i)),
      )
        .curve(curveStepAfter)
        .digits(DIGITS)(xs.keys()) ?? '';
    const areas = stackedAreas(xs, bands, x, y, true).map((node, band): Node => {
      const bright = lit === null || ('category' in lit && lit.category === bands[band]!.key);
      return bright ? node : { ...node, opacity: FADED };
    });
    const alone: Node[] =
      lit && 'bytes' in lit
        ? [
            {
              node: 'path',
              d: shape(
                () => 0,
                (i) => lit.bytes[i]!,
              ),
              fill: lit.color,
              opacity: 1,
              stroke: { color: theme.ink, width: 0.8 },
            },
          ]
        : [];
    return [...areas, ...alone, outlineNode(outline, x, y, theme)];
  });
}

/** Both on one scale: from zero to the higher one of what is in sight. */
export function commonValues(
  stacks: readonly Pick<TraceStack, 'xs' | 'bands'>[],
  domain: Domain,
): Domain {
  let high = 1;
  for (const { xs, bands } of stacks) {
    const top = totalOf(bands);
    top.forEach((bytes, i) => {
      // What began before the left border may hold until beyond it.
      const seen = xs[i]! <= domain.high && (xs[i + 1] ?? xs[i]!) >= domain.low;
      if (seen && bytes > high) high = bytes;
    });
  }
  return { low: 0, high };
}

/** Bytes of a band at a place; null where the trace has ended or not begun. */
export function bytesAt(xs: Float64Array, bytes: Float64Array, x: number): number | null {
  const row = lastUpTo(xs, x);
  return row < 0 || x > xs.at(-1)! ? null : bytes[row]!;
}

export function totalOf(bands: readonly Pick<StackBand, 'bytes'>[]): Float64Array {
  return topsOf(bands).at(-1) ?? new Float64Array();
}

function topsOf(bands: readonly Pick<StackBand, 'bytes'>[]): Float64Array[] {
  const tops: Float64Array[] = [];
  for (const { bytes } of bands) {
    const below = tops.at(-1);
    tops.push(bytes.map((value, i) => value + (below?.[i] ?? 0)));
  }
  return tops;
}

function outlineNode(
  { xs, bands }: Options['outline'],
  x: PlainPlot['x'],
  y: PlainPlot['y'],
  theme: Theme,
): Node {
  const total = totalOf(bands);
  const d = line<number>(
    (i) => x(xs[i]!),
    (i) => y(total[i]!),
  )
    .curve(curveStepAfter)
    .digits(DIGITS)(total.keys());
  return { node: 'path', d: d ?? '', stroke: { color: theme.ink, width: 1, dash: [2, 2.5] } };
}
