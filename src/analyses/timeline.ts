import { extent, greatestIndex } from 'd3-array';
import { UserError } from '../base/errors.ts';
import { SECOND_NS } from '../base/time.ts';
import { type Origin, origin } from '../model/origin.ts';
import type { Recording } from '../model/recording.ts';
import { type Series, series, seriesNames } from '../model/series.ts';
import type { Report } from './report.ts';

/** One series as a chart needs it. Parallel arrays; NaN bytes break the line where nothing was sampled. */
export interface TimelineLine {
  readonly series: string;
  readonly seconds: Float64Array;
  readonly bytes: Float64Array;
  readonly peak: { readonly bytes: number; readonly seconds: number };
  /** The recorder's own memory is part of the host's and was taken off. */
  readonly recorderSubtracted: boolean;
  /** The kernel's exact peak of the same quantity, where it is higher than any sample. */
  readonly kernelPeak: number | null;
}

export interface TimelineMark {
  readonly kind: string;
  readonly name: string;
  readonly seconds: number;
  readonly epoch: number | null;
  readonly iteration: number | null;
}

/** Memory over time, with what happened when. */
export interface Timeline {
  readonly type: 'timeline';
  readonly origin: Origin['is'];
  readonly lines: readonly TimelineLine[];
  readonly marks: readonly TimelineMark[];
}

export function timeline(recording: Recording, names: readonly string[]): Timeline {
  const zero = origin(recording);
  return {
    type: 'timeline',
    origin: zero.is,
    lines: names.map((name) => line(recording, name, zero.ns)),
    marks: marks(recording, zero.ns),
  };
}

/**
 * What to draw when nobody says: the tree's headline, and the whole machine beside it only where
 * the tree is a good part of it; else the machine's level would press the tree's curve flat.
 */
export function defaultSeries(report: Report): string[] {
  const { headline, peaks } = report;
  if (!headline) return [];
  const used = peaks.find((peak) => peak.series === 'host.used');
  const besides = headline.measure !== 'machine' && used && used.bytes < 3 * headline.bytes;
  return besides ? [headline.series, 'host.used'] : [headline.series];
}

function line(recording: Recording, name: string, zero: number): TimelineLine {
  const found = series(recording, name);
  if (!found) {
    const there = seriesNames(recording);
    throw new UserError(`this recording has no series '${name}'`, {
      hint: there.length > 0 ? `it has ${there.join(', ')}` : 'it has no samples',
    });
  }
  const net = name.startsWith('host.') ? withoutRecorder(recording, found) : null;
  const { times, values } = withGaps(net ?? found);
  const top = greatestIndex(values) ?? 0;
  return {
    series: name,
    seconds: times.map((ns) => (ns - zero) / SECOND_NS),
    bytes: values,
    peak: { bytes: values[top]!, seconds: (times[top]! - zero) / SECOND_NS },
    recorderSubtracted: net !== null,
    kernelPeak: name === 'cgroup.current' ? kernelPeak(recording, values[top]!) : null,
  };
}

/** Both are columns of `host`; the series only lacks the rows without a value. */
function withoutRecorder(recording: Recording, used: Series): Series | null {
  const host = recording.table('host');
  const own = host.f64('recorder_anon');
  if (own.every(Number.isNaN)) return null;
  const times = host.f64('time');
  let row = 0;
  const values = used.values.map((value, i) => {
    while (times[row]! < used.times[i]!) row++;
    return Number.isNaN(own[row]!) ? value : value - own[row]!;
  });
  return { ...used, values };
}

function kernelPeak(recording: Recording, sampled: number): number | null {
  const [, highest] = extent(recording.table('cgroup').f64('peak'));
  return highest !== undefined && highest > sampled ? highest : null;
}

/** How many neighbours a pause is held against. */
const NEIGHBOURS = 16;

/**
 * Puts a NaN into every pause that stands out among its neighbours and would be seen in a chart:
 * a straight line there would claim that memory was known. Folded stretches have wide steps
 * throughout, so that none of them stands out.
 */
export function withGaps({ name, times, values }: Series): Series {
  const last = times.length - 1;
  const visible = last > 0 ? (times[last]! - times[0]!) / 200 : 0;
  const step = (i: number) => times[i + 1]! - times[i]!;
  const breaks: number[] = [];
  for (let i = 0; i < last; i++) {
    if (step(i) <= visible) continue;
    let usual = 0;
    for (let j = Math.max(0, i - NEIGHBOURS); j < Math.min(last, i + NEIGHBOURS + 1); j++) {
      if (j !== i && step(j) > usual) usual = step(j);
    }
    if (usual > 0 && step(i) > 5 * usual) breaks.push(i + 1);
  }
  if (breaks.length === 0) return { name, times, values };
  const wideTimes = new Float64Array(times.length + breaks.length);
  const wideValues = new Float64Array(wideTimes.length);
  let from = 0;
  for (const [n, at] of [...breaks, times.length].entries()) {
    wideTimes.set(times.subarray(from, at), from + n);
    wideValues.set(values.subarray(from, at), from + n);
    if (at < times.length) {
      wideTimes[at + n] = (times[at - 1]! + times[at]!) / 2;
      wideValues[at + n] = Number.NaN;
    }
    from = at;
  }
  return { name, times: wideTimes, values: wideValues };
}

function marks(recording: Recording, zero: number): TimelineMark[] {
  const table = recording.table('marks');
  const [times, epochs, iterations] = [
    table.f64('time'),
    table.f64('epoch'),
    table.f64('iteration'),
  ];
  const [kinds, names] = [table.u32('kind'), table.u32('name')];
  return Array.from(times, (ns, row) => ({
    kind: recording.text(kinds[row]!),
    name: recording.text(names[row]!),
    seconds: (ns - zero) / SECOND_NS,
    epoch: Number.isNaN(epochs[row]!) ? null : epochs[row]!,
    iteration: Number.isNaN(iterations[row]!) ? null : iterations[row]!,
  }));
}
