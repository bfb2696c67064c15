import { extent } from 'd3-array';
import { UserError } from '../base/errors.ts';
import { highestIndex } from '../base/search.ts';
import { formatDuration, SECOND_NS } from '../base/time.ts';
import { withGaps } from '../model/gaps.ts';
import { iterationRows } from '../model/iterations.ts';
import { type Origin, origin } from '../model/origin.ts';
import { processorShare } from '../model/processor-share.ts';
import type { Recording } from '../model/recording.ts';
import { TIME_FROM } from '../model/schema.ts';
import { type Series, series, seriesNames } from '../model/series.ts';
import type { Table } from '../model/table.ts';
import { type TimeRange, withinRange } from '../model/time-range.ts';
import type { Report } from './report.ts';
import { isOfDevice } from './report-facts.ts';

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
  /** Only this part of the run is in it; absent where all is. */
  readonly range?: TimeRange;
  readonly lines: readonly TimelineLine[];
  readonly marks: readonly TimelineMark[];
}

/** `range`: only what is between two moments; peaks are then those within. */
export function timeline(
  recording: Recording,
  names: readonly string[],
  range?: TimeRange,
): Timeline {
  const zero = origin(recording);
  const isInside = ({ seconds }: TimelineMark) =>
    !range || (seconds >= range.from && seconds <= range.to);
  return {
    type: 'timeline',
    origin: zero.is,
    ...(range && { range }),
    lines: names.map((name) => line(recording, name, zero.ns, range)),
    marks: timelineMarks(recording, zero.ns).filter(isInside),
  };
}

/** The process tree's share of the processors, beside its memory. */
export interface ProcessorLine {
  readonly seconds: Float64Array;
  /** Of one core. */
  readonly percent: Float64Array;
  /** Mean of the whole run. */
  readonly cores: number;
}

/** null where the recording tells nothing of it. */
export function processorLine(recording: Recording, range?: TimeRange): ProcessorLine | null {
  const share = processorShare(recording);
  if (!share) return null;
  const zero = origin(recording).ns;
  const { times, values } = withinRange(share.series, zero, range);
  const seconds = times.map((ns) => (ns - zero) / SECOND_NS);
  return { seconds, percent: values, cores: share.cores };
}

/** As many cards as a chart can show beside the host. */
const MOST_CARDS = 4;

/**
 * What to draw by default: the cards that the tree uses, the tree's headline, or what leaks
 * where something does, and the whole machine beside it only where the tree is a good part of it;
 * else the machine's level would press the tree's curve flat.
 */
export function defaultSeries(report: Report): string[] {
  const { peaks } = report;
  // Of a device, the cards say it.
  const headline = isOfDevice(report.headline) ? null : report.headline;
  const cards = [...report.gpus]
    .filter(({ usedByTree, peak }) => peak && (usedByTree || !headline))
    .sort((a, b) => b.peak!.bytes - a.peak!.bytes)
    .slice(0, MOST_CARDS)
    .flatMap(({ gpu, headline }) =>
      headline?.of === 'workload' ? [`gpu${gpu}.used`, `gpu${gpu}.tree`] : [`gpu${gpu}.used`],
    );
  if (!headline) return cards;
  const leaking = leakingSeries(report);
  if (leaking?.startsWith('host.')) return [...cards, leaking];
  const used = peaks.find((peak) => peak.series === 'host.used');
  const besides = headline.measure !== 'machine' && used && used.bytes < 3 * headline.bytes;
  return [...cards, leaking ?? headline.series, ...(besides ? ['host.used'] : [])];
}

/** The series that shows the leak, where there is one that can be drawn. */
function leakingSeries({ leak: { verdict, trend, shelf }, peaks }: Report): string | null {
  if (verdict !== 'leak') return null;
  const name = trend?.verdict === 'leak' ? trend.series : shelf?.series;
  // Parts of the others, so they have no peaks of their own.
  if (name === 'tree.held' || name === 'cgroup.held') return name;
  return peaks.find(({ series }) => series === name)?.series ?? null;
}

function line(
  recording: Recording,
  name: string,
  zero: number,
  range: TimeRange | undefined,
): TimelineLine {
  const found = series(recording, name);
  if (!found) {
    const there = seriesNames(recording);
    throw new UserError(`this recording has no series '${name}'`, {
      hint: there.length > 0 ? `it has ${there.join(', ')}` : 'it has no samples',
    });
  }
  const net = name.startsWith('host.') ? withoutRecorder(recording, found) : null;
  const { times, values } = withGaps(withinRange(net ?? found, zero, range));
  const top = highestIndex(values);
  if (top < 0) {
    const last = formatDuration((found.times.at(-1)! - zero) / SECOND_NS);
    throw new UserError(`there is nothing of ${name} in that time`, {
      hint: `the last sample is at ${last}`,
    });
  }
  return {
    series: name,
    seconds: times.map((ns) => (ns - zero) / SECOND_NS),
    bytes: values,
    peak: { bytes: values[top]!, seconds: (times[top]! - zero) / SECOND_NS },
    recorderSubtracted: net !== null,
    kernelPeak: name === 'cgroup.current' && !range ? kernelPeak(recording, values[top]!) : null,
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

/** What happened when; `zero` is the moment that seconds count from, in ns. */
export function timelineMarks(recording: Recording, zero: number): TimelineMark[] {
  const table = recording.table('marks');
  const [times, epochs, iterations] = [
    table.f64('time'),
    table.f64('epoch'),
    table.f64('iteration'),
  ];
  const [kinds, names] = [table.u32('kind'), table.u32('name')];
  const stepped = new Set(iterationRows(recording));
  const isEnd = (row: number) => recording.text(names[row]!).startsWith('/');
  const shown = [...kinds.keys()].flatMap((row) => {
    const kind = recording.text(kinds[row]!);
    if (stepped.has(row)) return [{ row, kind: 'iteration' }];
    // Where a cell begins its name is shown.
    if (kind === 'cell') return isEnd(row) ? [] : [{ row, kind: 'phase' }];
    // Phases that an agent saw by itself go by the step they are of: too many to be labelled.
    const unasked =
      kind === 'step' || kind === 'count' || (kind === 'phase' && agentSaw(table, row));
    return unasked ? [] : [{ row, kind }];
  });
  return shown.map(({ row, kind }) => ({
    kind,
    name: recording.text(names[row]!),
    seconds: (times[row]! - zero) / SECOND_NS,
    epoch: Number.isNaN(epochs[row]!) ? null : epochs[row]!,
    iteration: Number.isNaN(iterations[row]!) ? null : iterations[row]!,
  }));
}

const agentSaw = (marks: Table, row: number) =>
  marks.u8('time_from')[row] === TIME_FROM.agent && !Number.isNaN(marks.f64('iteration')[row]!);
