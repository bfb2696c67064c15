import { mallocByProcess } from '../../model/malloc-memory.ts';
import type { Recording } from '../../model/recording.ts';
import type { Series } from '../../model/series.ts';
import { v8Memory } from '../../model/v8-memory.ts';
import type { Pids } from './kind/process-sums.ts';
import { runtimeOf } from './kind/program.ts';
import { processLives } from './process-lives.ts';

/**
 * What malloc kept free in each process: as its agent read it, else as it was read from outside. Not of Node, where what
 * is not free may still be garbage (v8-in-use.ts).
 */
export function freeByProcess(recording: Recording): Map<number, Series> {
  const told = freeTold(recording);
  const nodes = nodePids(recording);
  for (const [pid, readings] of mallocByProcess(recording)) {
    if (told.has(pid) || nodes.has(pid)) continue;
    const times = Float64Array.from(readings, ({ ns }) => ns);
    const values = Float64Array.from(readings, ({ freeHeld }) => freeHeld);
    told.set(pid, { name: '', times, values });
  }
  return told;
}

/**
 * malloc hands out again what it keeps free. While it keeps less than these processes have in use, growth of it may level
 * off, as arenas do that fill; more than that is memory that their program does not get back to.
 */
export function keptFreeMayLevelOff(recording: Recording, pids: Pids): boolean {
  const free = freeByProcess(recording);
  const lives = processLives(recording).filter(({ pid }) => !pids || pids.has(pid));
  const kept = lives.map(({ pid }) => free.get(pid)?.values.at(-1) ?? 0);
  const held = lives.map(({ held: { values } }) => values.at(-1) ?? 0);
  const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);
  return sum(kept) < sum(held) - sum(kept);
}

function nodePids(recording: Recording): Set<number> {
  const pids = recording.table('processes').u32('pid');
  const silent = pids.filter((_, row) => runtimeOf(recording, row) === 'node');
  return new Set([...silent, ...v8Memory(recording).map(({ pid }) => pid)]);
}

function freeTold(recording: Recording): Map<number, Series> {
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
export function looksByProcess(recording: Recording): Map<number, number[]> {
  const table = recording.table('objects');
  const found = new Map<number, Set<number>>();
  for (const [row, pid] of table.u32('pid').entries()) {
    const times = found.get(pid) ?? new Set();
    found.set(pid, times.add(table.f64('time')[row]!));
  }
  return new Map([...found].map(([pid, times]) => [pid, [...times].sort((a, b) => a - b)]));
}
