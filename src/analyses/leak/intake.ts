import { MiB } from '../../base/bytes.ts';
import { SECOND_NS } from '../../base/time.ts';
import type { Recording } from '../../model/recording.ts';
import { type JudgedSeries, OF_PROCESSES } from './judged-series.ts';
import type { JudgedTime } from './judged-values.ts';
import { roleFinder } from './roles.ts';

/** What processes took in while they grew. */
export interface Intake {
  /** Bytes that they read; NaN where the kernel did not tell. */
  readonly read: number;
  /** By how much more memory they have asked for. */
  readonly asked: number;
  /** What they had asked for at the end. */
  readonly askedAtEnd: number;
  /** As a share of the time, how busy the busiest one was, or would have been had there been processors; NaN where the kernel did not tell. */
  readonly busy: number;
}

/** It was looked at each second; what was not watched for most of the time is not known. */
const WATCHED_SHARE = 0.7;

/** null: nobody watched, as in recordings of other tools and of earlier versions. */
export function intakeOf(
  recording: Recording,
  { measure, role }: JudgedSeries,
  { fromNs, toNs }: JudgedTime,
): Intake | null {
  const table = recording.table('intake');
  if (!OF_PROCESSES.has(measure) || table.rows === 0) return null;
  const [times, pids] = [table.f64('time'), table.u32('pid')];
  const roleAt = roleFinder(recording);
  const rows = new Map<number, number[]>();
  for (let row = 0; row < table.rows; row++) {
    const [ns, pid] = [times[row]!, pids[row]!];
    if (ns < fromNs - SECOND_NS || ns > toNs + SECOND_NS) continue;
    // Earlier versions also wrote down what a process asks for that is ending: nothing.
    if (table.f64('asked')[row] === 0) continue;
    if (role !== null && roleAt(pid, ns) !== role) continue;
    const list = rows.get(pid);
    if (!list) rows.set(pid, [row]);
    // A program that ends lets go of what it had: a look at it then says nothing of the time before.
    else if (ns <= toNs || table.f64('asked')[row]! >= table.f64('asked')[list.at(-1)!]!) {
      list.push(row);
    }
  }
  const cpu = processorTimes(recording);
  let [read, asked, askedAtEnd, watched, busy] = [0, 0, 0, 0, 0];
  for (const list of rows.values()) {
    const [first, last] = [list[0]!, list.at(-1)!];
    read += table.f64('read')[last]! - table.f64('read')[first]!;
    asked += table.f64('asked')[last]! - table.f64('asked')[first]!;
    askedAtEnd += table.f64('asked')[last]!;
    const lasted = times[last]! - times[first]!;
    watched = Math.max(watched, lasted);
    const main = (table.f64('busy')[last]! - table.f64('busy')[first]!) / lasted;
    const all = cpu(pids[first]!, times[first]!, times[last]!) / lasted;
    if (lasted > SECOND_NS) busy = Math.max(busy, main, all || 0);
  }
  const seen = watched >= WATCHED_SHARE * (toNs - fromNs);
  return seen ? { read, asked, askedAtEnd, busy } : null;
}

/** What all threads of a process used between two moments; it is read twice a second. */
function processorTimes(recording: Recording) {
  const table = recording.table('process');
  const [times, pids, used] = [table.f64('time'), table.u32('pid'), table.f64('cpu')];
  return (pid: number, fromNs: number, toNs: number): number => {
    let [first, last] = [Number.NaN, Number.NaN];
    for (let row = 0; row < table.rows; row++) {
      if (pids[row] !== pid || Number.isNaN(used[row]!)) continue;
      if (times[row]! < fromNs || times[row]! > toNs) continue;
      if (Number.isNaN(first)) first = used[row]!;
      last = used[row]!;
    }
    return last - first;
  };
}

/** What is loaded comes from somewhere: even packed text is no more than fifty times as large in memory as on disk. */
const LOADED_FROM = 0.02;

/** Nothing was read that could have become this growth, and memory was asked for as it grew. */
export const bringsNothingIn = ({ read, asked }: Intake, growth: number): boolean =>
  read < LOADED_FROM * growth && asked > NEWLY_ASKED * growth;

/** One that computes hardly ever waits; one that answers, polls or keeps a pace mostly does. */
const IDLE_SHARE = 0.5;

/** It waits for something again and again, as what serves or keeps a pace does: this is no single computation that keeps what it finds until it is done. */
export const keepsWaiting = ({ busy }: Intake): boolean => busy < IDLE_SHARE;

/** Growth that is new memory makes what was asked for grow likewise. */
const NEWLY_ASKED = 0.25;
/** Allocators ask for so much ahead: growth within that may be any. */
const AHEAD_BYTES = 64 * MiB;

/** Pages are touched for the first time that were asked for long before, as those of an array that fills up. */
export const fillsWhatItHas = ({ asked }: Intake, growth: number): boolean =>
  growth > AHEAD_BYTES && asked < NEWLY_ASKED * growth;
