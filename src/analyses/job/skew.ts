import { median } from '../../base/stats.ts';
import { decodeMaxima, type Windows } from '../../model/job/envelope.ts';
import { MEASURES, type Measure } from '../../model/job/summary.ts';
import type { Member } from './member.ts';

/** How far apart the ranks were, over time. */
export interface JobSkew {
  readonly measure: Measure;
  /** Ranks that were looked at: of very many, some that were drawn by lot, and those that stand out. */
  readonly ranks: number;
  /** Since then one rank holds clearly more than the median, and did so to the end; null: none does. */
  readonly sinceSeconds: number | null;
  /** When one was furthest above the median. */
  readonly most: {
    readonly seconds: number;
    readonly rank: number | null;
    readonly bytes: number;
    readonly medianBytes: number;
  } | null;
  /** The most that ranks held in each stretch of the job. */
  readonly points: readonly {
    readonly seconds: number;
    readonly ranks: number;
    readonly minBytes: number;
    readonly medianBytes: number;
    readonly maxBytes: number;
  }[];
}

const BINS = 64;
/** As for an outlier. */
const CLEARLY = { share: 0.1, bytes: 32 * 1024 ** 2 };

export function jobSkew(members: readonly Member[], startMs: number): JobSkew | null {
  const all = members.map(({ rank, details }) => ({ rank, envelopes: details().envelopes }));
  const measure = usualMeasure(all);
  if (!measure) return null;
  const lines = all.flatMap(({ rank, envelopes }) => {
    const found = envelopes.find((one) => one.measure === measure);
    return found ? [{ rank, windows: { ...found, maxima: decodeMaxima(found) } }] : [];
  });
  if (lines.length < 2) return null;
  const end = Math.max(...lines.map(({ windows }) => endOf(windows)));
  const first = Math.max(startMs, Math.min(...lines.map(({ windows }) => windows.startMs)));
  const width = (end - first) / BINS;
  if (!(width > 0)) return null;
  const rows = lines.map(({ windows }) => binned(windows, first, width));
  const points: JobSkew['points'][number][] = [];
  let most: JobSkew['most'] = null;
  let since: number | null = null;
  for (let bin = 0; bin < BINS; bin++) {
    const known = rows.flatMap((row, i) => (Number.isNaN(row[bin]!) ? [] : [i]));
    // While they start, and once the first have ended, those that are there say little of the others.
    if (known.length < Math.max(2, lines.length / 2)) continue;
    const values = known.map((i) => rows[i]![bin]!);
    const medianBytes = median(values);
    const top = known.reduce((a, b) => (rows[b]![bin]! > rows[a]![bin]! ? b : a));
    const maxBytes = rows[top]![bin]!;
    const seconds = (first + bin * width - startMs) / 1000;
    const above = maxBytes - medianBytes;
    if (above < Math.max(CLEARLY.bytes, CLEARLY.share * medianBytes)) since = null;
    else since ??= seconds;
    if (!most || above > most.bytes - most.medianBytes)
      most = { seconds, rank: lines[top]!.rank, bytes: maxBytes, medianBytes };
    points.push({
      seconds,
      ranks: known.length,
      minBytes: Math.min(...values),
      medianBytes,
      maxBytes,
    });
  }
  return { measure, ranks: lines.length, sinceSeconds: since, most, points };
}

const endOf = ({ startMs, windowMs, maxima }: Windows) => startMs + windowMs * maxima.length;

/** By which most of them have a curve; the scarcest first. */
function usualMeasure(
  all: readonly { readonly envelopes: readonly { readonly measure: Measure }[] }[],
): Measure | null {
  const having = (measure: Measure) =>
    all.filter(({ envelopes }) => envelopes.some((one) => one.measure === measure)).length;
  const counts = MEASURES.map((measure) => ({ measure, count: having(measure) }));
  const best = counts.reduce((a, b) => (b.count > a.count ? b : a));
  return best.count === 0 ? null : best.measure;
}

/** The most of each bin: a window that lies in two counts in both, so that no maximum is lost. */
export function binned(
  { startMs, windowMs, maxima }: Windows,
  first: number,
  width: number,
  bins = BINS,
): Float64Array {
  const found = new Float64Array(bins).fill(Number.NaN);
  let held = Number.NaN;
  const last = Math.min(bins - 1, Math.floor((startMs + windowMs * maxima.length - first) / width));
  for (const [i, value] of maxima.entries()) {
    if (!Number.isNaN(value)) held = value;
    // A window without a sample of its own goes on as the one before.
    const shown = Number.isNaN(value) ? held : value;
    if (Number.isNaN(shown)) continue;
    const from = Math.max(0, Math.floor((startMs + i * windowMs - first) / width));
    const to = Math.min(last, Math.ceil((startMs + (i + 1) * windowMs - first) / width) - 1);
    for (let bin = from; bin <= to; bin++) if (!(shown <= found[bin]!)) found[bin] = shown;
  }
  return found;
}
