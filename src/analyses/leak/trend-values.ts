import { SECOND_NS } from '../../base/time.ts';
import {
  continuousNumbers,
  countRows,
  type Iterations,
  markedIterations,
  repeatedRows,
  stepRows,
} from '../../model/iterations.ts';
import { layerHistories } from '../../model/layers/history.ts';
import type { Recording } from '../../model/recording.ts';
import type { Series } from '../../model/series.ts';
import { stretches } from './stretches.ts';
import type { TrendValues } from './trend-evidence.ts';
import type { WorkloadSpan } from './workload-span.ts';

/** With fewer, values over time say more. */
const FEWEST_ITERATIONS = 30;
/** A process frees its memory while it exits: the last moments are no trend. */
const EXIT_SHARE = 0.02;
const EXIT_NS = 0.05 * SECOND_NS;

/** One value at each iteration, or the smallest of each short stretch of time. */
export function trendValues(
  series: Series,
  iterations: Iterations,
  span: WorkloadSpan,
): TrendValues {
  const byIteration = atIterations(series, iterations);
  if (byIteration.y.length >= FEWEST_ITERATIONS) return byIteration;
  const byTime = overTime(series, span);
  const enough = iterations.times.length >= FEWEST_ITERATIONS;
  return enough && byIteration.y.length >= byTime.y.length ? byIteration : byTime;
}

/** The last sample up to each mark: the same phase of every iteration. What was read long before says nothing of it. */
export function atIterations({ times, values }: Series, iterations: Iterations): TrendValues {
  const x: number[] = [];
  const y: number[] = [];
  const peaks: number[] = [];
  const means: number[] = [];
  let [row, taken] = [-1, -1];
  let [peak, sum] = [Number.NEGATIVE_INFINITY, 0];
  for (let i = 0; i < iterations.times.length; i++) {
    while (row + 1 < times.length && times[row + 1]! <= iterations.times[i]!) {
      peak = Math.max(peak, values[++row]!);
      sum += values[row]!;
    }
    // Several marks within one sample are one value.
    const number = iterations.numbers[i]!;
    if (row === taken || (x.length > 0 && number <= x.at(-1)!)) continue;
    x.push(number);
    y.push(values[row]!);
    // What came before the first mark is the program's start.
    const first = peaks.length === 0;
    peaks.push(first ? values[row]! : peak);
    means.push(first ? values[row]! : sum / (row - taken));
    [peak, sum] = [Number.NEGATIVE_INFINITY, 0];
    taken = row;
  }
  return {
    x: Float64Array.from(x),
    y: Float64Array.from(y),
    peaks: Float64Array.from(peaks),
    means: Float64Array.from(means),
    over: 'iterations',
  };
}

export function overTime(series: Series, span: WorkloadSpan): TrendValues {
  const length = span.endNs - span.startNs;
  const end = span.endKnown ? span.endNs - EXIT_NS - EXIT_SHARE * length : span.endNs;
  return { ...stretches(series, span.startNs, end), over: 'time' };
}

/**
 * Those that the program marked. Where it marks few, those of its optimizer, or those that its profiler counted:
 * an iteration each, and enough of them to see a trend.
 */
export function iterationsOf(recording: Recording): ToldIterations {
  const told = toldIterations(recording);
  if (told.times.length >= FEWEST_ITERATIONS) return { ...told, counted: false };
  const counted = markedIterations(recording, countRows(recording));
  return counted.times.length >= FEWEST_ITERATIONS
    ? { ...counted, counted: true }
    : { ...told, counted: false };
}

export interface ToldIterations extends Iterations {
  /** Lines count something up: work as a rule, but it may be what is loaded. */
  readonly counted: boolean;
}

function toldIterations(recording: Recording): Iterations {
  const marked = markedIterations(recording, repeatedRows(recording));
  if (marked.times.length >= FEWEST_ITERATIONS) return marked;
  const others = [markedIterations(recording, stepRows(recording)), profiled(recording)];
  return others.reduce((a, b) => (b.times.length > a.times.length ? b : a), marked);
}

/** Of several processes with a model, the first. */
function profiled(recording: Recording): Iterations {
  const iterations = layerHistories(recording)[0]?.iterations ?? [];
  return continuousNumbers(iterations.map(({ ns, iteration }) => [ns, iteration ?? Number.NaN]));
}
