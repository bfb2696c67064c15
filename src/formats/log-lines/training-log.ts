import { UserError } from '../../base/errors.ts';
import type { LineMark } from './mark.ts';
import { LineMarker } from './marker.ts';
import { placeStamps } from './placement.ts';
import { type LineStamp, lineStamp } from './stamp.ts';
import type { TimeZone } from './time-zone.ts';

/** A mark between two stamped lines that are no farther apart has the time of the first. */
const MAX_GAP_SECONDS = 1;

/** A log of a training, read but not yet placed in time. */
export interface TrainingLog {
  readonly name: string;
  /** The stamps that matter, in the order of the lines. */
  readonly stamps: readonly LineStamp[];
  /** Each mark with the stamp of its line, or those of the lines around it. */
  readonly marks: readonly { mark: LineMark; before: number; after: number }[];
  /** Index of the stamp that is the workload's start: glog's first line, else the first stamp. */
  readonly start: number;
}

/** Reads lines; keeps only the stamps that marks, ends and a midnight need. */
export function readTrainingLog(
  name: string,
  lines: Iterable<string>,
  options: { patterns?: readonly RegExp[] } = {},
): TrainingLog {
  const marker = new LineMarker(options);
  const stamps: LineStamp[] = [];
  const marks: { mark: LineMark; before: number; after: number }[] = [];
  let waiting: { mark: LineMark; before: number; after: number }[] = [];
  let last: { stamp: LineStamp; index: number } | null = null;
  let firstGlog = -1;
  const keep = (entry: { stamp: LineStamp; index: number }): number => {
    if (entry.index < 0) entry.index = stamps.push(entry.stamp) - 1;
    return entry.index;
  };
  for (const line of lines) {
    const found = marker.feed(line);
    const own = found.find((mark) => mark.stamp)?.stamp ?? lineStamp(line);
    if (!own) {
      const before = last && found.length > 0 ? keep(last) : -1;
      for (const mark of found) {
        const entry = { mark, before, after: -1 };
        marks.push(entry);
        waiting.push(entry);
      }
      continue;
    }
    const entry = { stamp: own, index: -1 };
    const isFirstGlog = own.style === 'glog' && firstGlog < 0;
    // Where the clock goes back, both sides are needed to see a midnight.
    const back = last !== null && own.clock < last.stamp.clock;
    if (back) keep(last!);
    if (!last || back || isFirstGlog || found.length > 0 || waiting.length > 0) keep(entry);
    if (isFirstGlog) firstGlog = entry.index;
    for (const pending of waiting) pending.after = entry.index;
    waiting = [];
    for (const mark of found) marks.push({ mark, before: entry.index, after: entry.index });
    last = entry;
  }
  if (last) keep(last);
  return { name, stamps, marks, start: Math.max(firstGlog, 0) };
}

export interface PlacedLog {
  /** Unix seconds of the workload's start and of the last line with a time. */
  readonly start: number;
  readonly end: number;
  readonly marks: readonly { readonly mark: LineMark; readonly at: number }[];
  /** Marks whose lines have no time, nor have the lines around them. */
  readonly unplaced: number;
}

/** When all of it happened. */
export function placeLog(
  log: TrainingLog,
  options: { fileTime: number; timeZone?: TimeZone },
): PlacedLog {
  if (log.stamps.length === 0) {
    throw new UserError(`no line of ${log.name} says a time`, {
      hint: 'a log without times cannot be laid over samples: record with highwater instead',
    });
  }
  const times = placeStamps(log.stamps, options);
  const marks: { mark: LineMark; at: number }[] = [];
  let unplaced = 0;
  for (const { mark, before, after } of log.marks) {
    const near = before >= 0 && after >= 0 && times[after]! - times[before]! <= MAX_GAP_SECONDS;
    if (near) marks.push({ mark, at: times[before]! });
    else unplaced++;
  }
  marks.sort((a, b) => a.at - b.at);
  return { start: times[log.start]!, end: times.at(-1)!, marks, unplaced };
}
