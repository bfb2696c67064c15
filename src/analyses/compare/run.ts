import { highestIndex } from '../../base/search.ts';
import { median } from '../../base/stats.ts';
import { SECOND_NS } from '../../base/time.ts';
import { baselineOf } from '../../model/baseline.ts';
import { iterationRows, markedIterations } from '../../model/iterations.ts';
import { origin } from '../../model/origin.ts';
import type { Recording } from '../../model/recording.ts';
import type { Series } from '../../model/series.ts';
import { type Ending, ending } from '../ending.ts';
import { type Stopped, stopped } from '../stopped.ts';
import { timing } from '../timing.ts';

/** One run of a comparison. */
export interface ComparedRun {
  readonly name: string;
  readonly series: string;
  readonly samples: number;
  /** The usual time between two samples; null when there is but one. */
  readonly intervalSeconds: number | null;
  /** What was in use before the run: its first sample; nothing for a tree, which is all its own. */
  readonly baselineBytes: number;
  readonly peakBytes: number;
  /** Which sample, counted from 1, reached the peak first. */
  readonly peakSample: number;
  readonly peakSeconds: number;
  readonly peakAboveBaselineBytes: number;
  /** Its peak above the baseline, as a multiple of the lowest among the runs; null where that is none. */
  readonly timesLowest: number | null;
  readonly durationSeconds: number;
  /** How far it was recorded and why no further: its peak is the highest seen until then; null: to its end. */
  readonly stopped: Stopped | null;
  /** How many iterations it had gone through at its last mark, by their numbers where a log names every tenth only; null when it marked none. */
  readonly iterations: number | null;
  readonly secondsPerIteration: number | null;
  readonly exit: Pick<Ending, 'how' | 'code' | 'signal' | 'oomKilled'>;
}

export function comparedRun(
  name: string,
  recording: Recording,
  found: Series,
): Omit<ComparedRun, 'timesLowest'> {
  const { times, values } = found;
  const peak = highestIndex(values);
  const baselineBytes = baselineOf(found);
  const { how, code, signal, oomKilled } = ending(recording);
  return {
    name,
    series: found.name,
    samples: values.length,
    intervalSeconds: usualInterval(times),
    baselineBytes,
    peakBytes: values[peak]!,
    peakSample: peak + 1,
    peakSeconds: (times[peak]! - origin(recording).ns) / SECOND_NS,
    peakAboveBaselineBytes: values[peak]! - baselineBytes,
    durationSeconds: timing(recording).durationSeconds,
    stopped: stopped(recording),
    ...iterations(recording),
    exit: { how, code, signal, oomKilled },
  };
}

function usualInterval(times: Float64Array): number | null {
  if (times.length < 2) return null;
  // To the nanosecond: times of logs are sums of binary fractions.
  return Math.round(median(times.subarray(1).map((time, i) => time - times[i]!))) / SECOND_NS;
}

/** Distinct iterations: several ranks mark the same one. */
function iterations(recording: Recording) {
  const marks = recording.table('marks');
  const [epochs, numbers] = [marks.f64('epoch'), marks.f64('iteration')];
  const rows = iterationRows(recording);
  if (rows.length === 0) return { iterations: null, secondsPerIteration: null };
  const distinct = new Set(rows.map((row) => `${epochs[row]} ${numbers[row]}`)).size;
  return {
    iterations: Math.max(distinct, passed(recording, rows)),
    secondsPerIteration: secondsEach(recording, rows),
  };
}

/** From the first number to the last, and of those before the first as many as lie between two marks. */
function passed(recording: Recording, rows: readonly number[]): number {
  const { numbers } = markedIterations(recording, rows);
  if (numbers.length < 2) return numbers.length;
  const first = numbers[0]!;
  const between = median(numbers.subarray(1).map((number, i) => number - numbers[i]!));
  return numbers.at(-1)! - first + Math.max(1, Math.min(between, first));
}

/** By the numbers: a log may name every tenth only. */
function secondsEach(recording: Recording, rows: readonly number[]): number | null {
  const { times, numbers } = markedIterations(recording, rows);
  const last = times.length - 1;
  const passed = numbers[last]! - numbers[0]!;
  return passed > 0 ? (times[last]! - times[0]!) / SECOND_NS / passed : null;
}
