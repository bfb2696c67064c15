import { iterationOverlay } from '../../analyses/iteration-overlay.ts';
import { overlay as overlayRuns } from '../../analyses/overlay.ts';
import { UserError } from '../../base/errors.ts';
import { type SampledCurve, thinned } from '../../base/thinning.ts';
import { Columns, type TypedArray } from '../../model/columns.ts';
import type { OverlaidRuns } from '../../model/overlaid-runs.ts';
import { seriesNames } from '../../model/series.ts';
import type { OpenInputs } from '../opened.ts';
import { isComparable, type Resource } from './resource.ts';

/** Points of a curve: more than any screen has columns, so that a picture made large stays fine. */
const COLUMNS = 2000;
const ALIGNS = ['start', 'first-iteration', 'iteration'] as const;
type Align = (typeof ALIGNS)[number];

interface Lines extends Omit<OverlaidRuns, 'lines' | 'type' | 'seriesNames'> {
  readonly lines: readonly (OverlaidRuns['lines'][number] & { readonly curve: SampledCurve })[];
}

/**
 * All runs over one axis. `series`, `align` and `absolute` are as `compare` takes them, and
 * `align=iteration` lays them by the numbers of their iterations; `from` and `to` ask for a part.
 */
export const overlay: Resource = {
  name: 'overlay',
  scope: 'job',
  has: isComparable,
  async get(opened, _run, query) {
    const { lines, ...rest } = linesOf(opened, alignOf(query.get('align')), {
      series: query.get('series') ?? undefined,
      baseline: query.has('absolute') ? 'absolute' : 'subtracted',
    });
    const [from, to] = rangeOf(lines, query);
    const arrays: Record<string, TypedArray> = {};
    for (const [i, { curve }] of lines.entries()) {
      const { xs, ys } = thinned(curve, from, to, COLUMNS);
      arrays[`${i}.x`] = xs;
      arrays[`${i}.bytes`] = ys;
    }
    const header: OverlaidRuns = {
      type: 'overlaid-runs',
      ...rest,
      lines: lines.map(({ curve: _, ...line }) => line),
      seriesNames: [...new Set(opened.runs.flatMap(({ recording }) => seriesNames(recording)))],
    };
    return new Columns(header, arrays);
  },
  embed: (opened) =>
    isComparable(opened)
      ? ['', 'absolute=1', ...ALIGNS.slice(1).map((align) => `align=${align}`)]
      : null,
};

function linesOf(
  { runs }: OpenInputs,
  align: Align,
  options: { series?: string; baseline: 'subtracted' | 'absolute' },
): Lines {
  if (align === 'iteration') {
    const { lines, skipped } = iterationOverlay(runs, options);
    return {
      across: 'iterations',
      zero: 'iteration',
      skipped,
      lines: lines.map(({ name, series, subtracted, peak, iterations, bytes }) => ({
        ...{ name, series, subtracted },
        peak: { bytes: peak.bytes, x: peak.iteration },
        span: spanOf(iterations),
        curve: { xs: iterations, ys: bytes },
      })),
    };
  }
  const drawn = drawable(() => overlayRuns(runs, { ...options, align }));
  if (typeof drawn === 'string') {
    const skipped = [{ name: 'all runs', reason: drawn }];
    return { across: 'seconds', zero: 'recording start', skipped, lines: [] };
  }
  return {
    across: 'seconds',
    zero: drawn.zero,
    skipped: drawn.skipped,
    lines: drawn.lines.map(({ name, series, subtracted, peak, seconds, bytes }) => ({
      ...{ name, series, subtracted },
      peak: { bytes: peak.bytes, x: peak.seconds },
      span: spanOf(seconds),
      curve: { xs: seconds, ys: bytes },
    })),
  };
}

const spanOf = (xs: Float64Array): [number, number] => [xs[0] ?? 0, xs.at(-1) ?? 0];

/** Allocation traces have no curve to draw here, and their tables say all the same: why, in words. */
function drawable<T>(make: () => T): T | string {
  try {
    return make();
  } catch (error) {
    if (error instanceof UserError) return error.message;
    throw error;
  }
}

function alignOf(text: string | null): Align {
  const found = ALIGNS.find((align) => align === (text ?? 'start'));
  if (found) return found;
  throw new UserError(`runs cannot be aligned at '${text}'`, {
    hint: `one of ${ALIGNS.join(', ')}`,
  });
}

function rangeOf(lines: Lines['lines'], query: URLSearchParams): [number, number] {
  const asked = (name: string) => (query.has(name) ? Number(query.get(name)) : Number.NaN);
  const first = Math.min(...lines.map(({ span }) => span[0]));
  const last = Math.max(...lines.map(({ span }) => span[1]));
  const [from, to] = [asked('from'), asked('to')];
  return [Number.isNaN(from) ? first : from, Number.isNaN(to) ? last : to];
}
