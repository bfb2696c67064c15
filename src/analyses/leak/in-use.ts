import { lastUpTo } from '../../base/search.ts';
import { SECOND_NS } from '../../base/time.ts';
import { heldByProcess } from '../../model/held-memory.ts';
import type { Recording } from '../../model/recording.ts';
import type { Series } from '../../model/series.ts';
import { workloadProcesses } from '../../model/workload-processes.ts';
import { secondHalf } from './slope-bound.ts';
import type { Trend } from './trend.ts';
import { mostGrowth } from './trend-evidence.ts';
import { LEAST_MARGIN } from './trend-rules.ts';
import type { WorkloadSpan } from './workload-span.ts';

/**
 * A process keeps what its program gave back, and takes it up again: that is most of the noise of its size. Its agent
 * tells how much malloc keeps free. What is held less that is in use, and hardly moves in a program that does the same
 * over and over. Where a trend cannot be told from noise, but all that is in use does not grow, there is no leak.
 */
export function unlessInUseIsFlat(
  trend: Trend,
  recording: Recording,
  { zeroNs }: WorkloadSpan,
): Trend {
  const { verdict, rule, bound, line, floorBytes } = trend;
  if (verdict !== 'inconclusive' || rule !== 'not shown' || !bound || !line) return trend;
  const [fromNs, toNs] = [line.fromSeconds, line.toSeconds].map((s) => zeroNs + s * SECOND_NS);
  const processes = aliveAt(recording, toNs!);
  // Processes that copy what they share do not grow themselves: then all of them together must be known well.
  const known = processes.length > 1 ? SHARED_MARGIN * floorBytes : floorBytes;
  if (processes.length === 0 || !(bound.growthBytes < known)) return trend;
  const free = freeByProcess(recording);
  const looks = looksByProcess(recording);
  const series = processes.map((one) => inUse(one, free.get(one.pid), looks.get(one.pid) ?? []));
  if (!series.some(({ told }) => told)) return trend;
  const most = series.reduce((sum, one) => sum + boundOver(one, fromNs!, toNs!), 0);
  if (!(most < LEAST_MARGIN * floorBytes)) return trend;
  const because = 'memory comes and goes, but what malloc and Python have in use does not grow';
  return { ...trend, verdict: 'bounded', rule: 'in use', because };
}

const SHARED_MARGIN = 0.5;

interface Process {
  readonly pid: number;
  readonly held: Series;
}

/** One that was not seen for so long before that moment had ended. */
const SEEN_NS = 1.5 * SECOND_NS;

/** What each process that lived at a moment held at all times. */
function aliveAt(recording: Recording, ns: number): Process[] {
  const table = workloadProcesses(recording);
  const [times, pids] = [table.f64('time'), table.u32('pid')];
  const held = heldByProcess(table);
  const rows = new Map<number, number[]>();
  for (let row = 0; row < table.rows; row++) {
    if (Number.isNaN(held[row]!)) continue;
    const list = rows.get(pids[row]!);
    if (list) list.push(row);
    else rows.set(pids[row]!, [row]);
  }
  const pick = (from: Float64Array, list: number[]) => Float64Array.from(list, (row) => from[row]!);
  return [...rows]
    .map(([pid, list]) => {
      return { pid, held: { name: '', times: pick(times, list), values: pick(held, list) } };
    })
    .filter(({ held: { times: seen } }) => {
      const last = lastUpTo(seen, ns);
      return last >= 0 && seen[last]! > ns - SEEN_NS;
    });
}

/** What malloc kept free, as each process's agent read it. */
function freeByProcess(recording: Recording): Map<number, Series> {
  const table = recording.table('counters');
  const names = table.u32('name');
  const [times, pids, values] = [table.f64('time'), table.u32('pid'), table.f64('value')];
  const wanted = [...new Set(names)].find((id) => recording.text(id) === 'malloc.free');
  const found = new Map<number, { times: number[]; values: number[] }>();
  for (let row = 0; row < table.rows; row++) {
    if (names[row] !== wanted) continue;
    const one = found.get(pids[row]!) ?? { times: [], values: [] };
    found.set(pids[row]!, one);
    one.times.push(times[row]!);
    one.values.push(values[row]!);
  }
  return new Map(
    [...found].map(([pid, one]) => [
      pid,
      { name: '', times: Float64Array.from(one.times), values: Float64Array.from(one.values) },
    ]),
  );
}

/** When each process's agent looked through its objects. */
function looksByProcess(recording: Recording): Map<number, number[]> {
  const table = recording.table('objects');
  const found = new Map<number, Set<number>>();
  for (const [row, pid] of table.u32('pid').entries()) {
    const times = found.get(pid) ?? new Set();
    found.set(pid, times.add(table.f64('time')[row]!));
  }
  return new Map([...found].map(([pid, times]) => [pid, [...times].sort((a, b) => a - b)]));
}

/** What was sampled longer ago than this says nothing of the moment at which the agent looked. */
const SAME_MOMENT_NS = 0.25 * SECOND_NS;

interface InUse {
  readonly series: Series;
  /** Its agent said what malloc keeps free; else it is all that it holds. */
  readonly told: boolean;
  /** So much of the time was left out. */
  readonly skippedNs: number;
}

/**
 * A look through all objects leaves some memory of ours in the process, and sets some of its own free: what changed
 * from the reading before a look to the one after it is left out.
 */
function inUse({ held }: Process, free: Series | undefined, looks: readonly number[]): InUse {
  if (!free) return { told: false, series: held, skippedNs: 0 };
  const times: number[] = [];
  const values: number[] = [];
  let [shift, skippedNs] = [0, 0];
  for (const [i, time] of free.times.entries()) {
    const row = lastUpTo(held.times, time);
    if (row < 0 || held.times[row]! < time - SAME_MOMENT_NS) continue;
    const value = held.values[row]! - free.values[i]!;
    const before = times.at(-1);
    if (before !== undefined && looks.some((look) => look >= before && look < time)) {
      shift = values.at(-1)! - value;
      skippedNs += time - before;
    }
    times.push(time);
    values.push(value + shift);
  }
  const series = { name: '', times: Float64Array.from(times), values: Float64Array.from(values) };
  return { told: true, series, skippedNs };
}

/** Readings that cover less of the time, or stop before its last part, say nothing of the whole. */
const COVERED = 0.5;
const LAST_PART = 0.25;

/** It grows by no more than this in that time; by all of it or, as what leaks goes on, by its second half. */
function boundOver(
  { series: { times, values }, skippedNs }: InUse,
  fromNs: number,
  toNs: number,
): number {
  const rows = [...times.keys()].filter((row) => times[row]! >= fromNs && times[row]! <= toNs);
  const x = Float64Array.from(rows, (row) => times[row]! / SECOND_NS);
  const y = Float64Array.from(rows, (row) => values[row]!);
  const all = { x, y, peaks: y };
  const whole = (toNs - fromNs) / SECOND_NS;
  const length = x.at(-1)! - x[0]! - skippedNs / SECOND_NS;
  const reaches = x.at(-1)! > toNs / SECOND_NS - LAST_PART * whole;
  if (!(length > COVERED * whole) || !reaches) return Number.POSITIVE_INFINITY;
  return (Math.min(mostGrowth(all), 2 * mostGrowth(secondHalf(all))) * whole) / length;
}
