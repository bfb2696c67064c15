import { countBefore, highestIndex } from '../base/search.ts';
import { median } from '../base/stats.ts';
import { baselineOf } from '../model/baseline.ts';
import { chosenSeries } from '../model/common-series.ts';
import { withGaps } from '../model/gaps.ts';
import { iterationRows } from '../model/iterations.ts';
import type { NamedRecording, Recording } from '../model/recording.ts';
import type { Series } from '../model/series.ts';

/** One run over its iterations. Parallel arrays; NaN bytes break the line. */
export interface IterationLine {
  readonly name: string;
  readonly series: string;
  /** The iteration of each sample; between two of them, the share of the time that had passed. */
  readonly iterations: Float64Array;
  readonly bytes: Float64Array;
  readonly subtracted: number;
  /** Of what is here: a peak before the first iteration is not. */
  readonly peak: { readonly bytes: number; readonly iteration: number };
}

/** Several runs by the number of their iterations, however long those took. */
export interface IterationOverlay {
  readonly type: 'iteration-overlay';
  readonly lines: readonly IterationLine[];
  readonly skipped: readonly { readonly name: string; readonly reason: string }[];
}

export function iterationOverlay(
  runs: readonly NamedRecording[],
  options: { readonly series?: string; readonly baseline?: 'subtracted' | 'absolute' } = {},
): IterationOverlay {
  const chosen = chosenSeries(
    runs.map(({ recording }) => recording),
    options.series,
  );
  const lines: IterationLine[] = [];
  const skipped: { name: string; reason: string }[] = [];
  for (const [i, { name, recording }] of runs.entries()) {
    const found = chosen[i];
    const moments = iterationMoments(recording);
    if (!found) skipped.push({ name, reason: `it has no ${options.series ?? 'memory samples'}` });
    else if (!moments) skipped.push({ name, reason: 'it tells of fewer than two iterations' });
    else {
      const subtracted = options.baseline === 'absolute' ? 0 : baselineOf(found);
      const line = lineOver(name, found, moments, subtracted);
      if (line) lines.push(line);
      else skipped.push({ name, reason: 'it has no sample within its iterations' });
    }
  }
  return { type: 'iteration-overlay', lines, skipped };
}

interface Moments {
  readonly ns: readonly number[];
  readonly numbers: readonly number[];
}

/**
 * When each iteration was marked, by its number in the mark; counted from 1 where those start again (an
 * epoch each) or are missing. null where there are not two.
 */
function iterationMoments(recording: Recording): Moments | null {
  const marks = recording.table('marks');
  const [times, epochs, numbered] = [marks.f64('time'), marks.f64('epoch'), marks.f64('iteration')];
  const seen = new Set<string>();
  const rows = iterationRows(recording).filter((row) => {
    // Several ranks tell of the same iteration; the first one counts.
    const key = Number.isNaN(numbered[row]!) ? `row ${row}` : `${epochs[row]} ${numbered[row]}`;
    return !seen.has(key) && seen.add(key);
  });
  if (rows.length < 2) return null;
  const ascend = rows.every((row, i) => i === 0 || numbered[row]! > numbered[rows[i - 1]!]!);
  return {
    ns: rows.map((row) => times[row]!),
    numbers: rows.map((row, i) => (ascend ? numbered[row]! : i + 1)),
  };
}

/** From one usual iteration before the first mark, which may be its end, to one after the last. */
function lineOver(
  name: string,
  found: Series,
  { ns, numbers }: Moments,
  subtracted: number,
): IterationLine | null {
  const { times, values } = withGaps(found);
  const long = median(Float64Array.from(ns.slice(1), (time, i) => time - ns[i]!));
  const wide = median(Float64Array.from(numbers.slice(1), (number, i) => number - numbers[i]!));
  const marks = [ns[0]! - long, ...ns, ns.at(-1)! + long];
  const at = [numbers[0]! - wide, ...numbers, numbers.at(-1)! + wide];
  const from = countBefore(times.length, (row) => times[row]! < marks[0]!);
  const to = countBefore(times.length, (row) => times[row]! <= marks.at(-1)!);
  if (to <= from) return null;
  let next = 1;
  const iterations = times.slice(from, to).map((time) => {
    while (next < marks.length - 1 && marks[next]! < time) next++;
    const span = marks[next]! - marks[next - 1]!;
    const share = span > 0 ? (time - marks[next - 1]!) / span : 0;
    return at[next - 1]! + share * (at[next]! - at[next - 1]!);
  });
  const bytes = values.slice(from, to).map((value) => value - subtracted);
  const peak = highestIndex(bytes);
  return {
    name,
    series: found.name,
    iterations,
    bytes,
    subtracted,
    peak: { bytes: bytes[peak]!, iteration: iterations[peak]! },
  };
}
