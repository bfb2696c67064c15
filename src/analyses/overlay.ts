import { UserError } from '../base/errors.ts';
import { SECOND_NS } from '../base/time.ts';
import { baselineOf } from '../model/baseline.ts';
import { chosenSeries } from '../model/common-series.ts';
import { firstRise } from '../model/first-rise.ts';
import { withGaps } from '../model/gaps.ts';
import { iterationRows } from '../model/iterations.ts';
import { type Origin, origin } from '../model/origin.ts';
import type { NamedRecording, Recording } from '../model/recording.ts';
import type { Series } from '../model/series.ts';
import { type TimeRange, withinRange } from '../model/time-range.ts';

/** One run as a chart needs it. Parallel arrays; NaN bytes break the line where nothing was sampled. */
export interface OverlayLine {
  readonly name: string;
  readonly series: string;
  readonly seconds: Float64Array;
  readonly bytes: Float64Array;
  /** Taken off all bytes; 0 where they are absolute. */
  readonly subtracted: number;
  readonly peak: { readonly bytes: number; readonly seconds: number };
}

/** Several runs over one time axis. */
export interface RunOverlay {
  readonly type: 'overlay';
  /** What all runs show; null where they differ. */
  readonly series: string | null;
  readonly baseline: 'subtracted' | 'absolute';
  /** The moment of each run that is second 0. */
  readonly zero: Origin['is'] | 'first iteration' | 'first rise';
  /** Only this part of each run is in it; absent where all is. */
  readonly range?: TimeRange;
  /** In the order they were given. */
  readonly lines: readonly OverlayLine[];
  readonly skipped: readonly { readonly name: string; readonly reason: string }[];
}

export interface OverlayOptions {
  readonly series?: string;
  readonly align?: Alignment;
  readonly baseline?: 'subtracted' | 'absolute';
  /** Only what is between these, in seconds. */
  readonly range?: TimeRange;
}

/** What second 0 of each run is; a log without marks has a first rise at most. */
export type Alignment = 'start' | 'first-iteration' | 'first-rise';

export function overlay(runs: readonly NamedRecording[], options: OverlayOptions = {}): RunOverlay {
  const { align = 'start', baseline = 'subtracted' } = options;
  const chosen = chosenSeries(
    runs.map(({ recording }) => recording),
    options.series,
  );
  const lines: OverlayLine[] = [];
  const skipped: { name: string; reason: string }[] = [];
  const zeros = new Set<RunOverlay['zero']>();
  for (const [i, { name, recording }] of runs.entries()) {
    const found = chosen[i];
    const zero = found ? zeroOf(recording, found, align) : null;
    if (!found) skipped.push({ name, reason: `it has no ${options.series ?? 'memory samples'}` });
    else if (!zero) skipped.push({ name, reason: `it has no ${MOMENT[align]} to align at` });
    else {
      zeros.add(zero.is);
      const subtracted = baseline === 'subtracted' ? baselineOf(found) : 0;
      const drawn = line(name, found, zero.ns, subtracted, options.range);
      if (drawn) lines.push(drawn);
      else skipped.push({ name, reason: 'it has no samples in that time' });
    }
  }
  if (lines.length === 0) {
    const why = skipped.map(({ name, reason }) => `${name}: ${reason}`).join('; ');
    throw new UserError(`no run can be drawn${why ? ` (${why})` : ''}`);
  }
  const names = new Set(lines.map((one) => one.series));
  return {
    type: 'overlay',
    series: names.size === 1 ? lines[0]!.series : null,
    baseline,
    zero: zeros.size === 1 ? [...zeros][0]! : 'recording start',
    ...(options.range && { range: options.range }),
    lines,
    skipped,
  };
}

const MOMENT = { start: 'start', 'first-iteration': 'iteration', 'first-rise': 'rise' } as const;

function zeroOf(recording: Recording, found: Series, align: Alignment) {
  if (align === 'start') return origin(recording);
  if (align === 'first-rise') {
    const row = firstRise(found);
    return row === null ? null : { ns: found.times[row]!, is: 'first rise' as const };
  }
  const [row] = iterationRows(recording);
  if (row === undefined) return null;
  return { ns: recording.table('marks').f64('time')[row]!, is: 'first iteration' as const };
}

/** null: nothing of it lies within the range. */
function line(
  name: string,
  found: Series,
  zero: number,
  subtracted: number,
  range: TimeRange | undefined,
): OverlayLine | null {
  const { times, values } = withGaps(withinRange(found, zero, range));
  if (values.length === 0) return null;
  let peak = 0;
  for (let row = 1; row < values.length; row++) if (values[row]! > values[peak]!) peak = row;
  const seconds = times.map((ns) => (ns - zero) / SECOND_NS);
  return {
    name,
    series: found.name,
    seconds,
    bytes: values.map((value) => value - subtracted),
    subtracted,
    peak: { bytes: values[peak]! - subtracted, seconds: seconds[peak]! },
  };
}
