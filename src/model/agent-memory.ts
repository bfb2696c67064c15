import { lastUpTo } from '../base/search.ts';
import type { Recording } from './recording.ts';
import type { Table } from './table.ts';

/** What the agent says that it holds itself in a process: `history` of CUDA's allocator, what of one malloc kept, its own modules. */
const NAMES = ['history.bytes', 'history.left', 'history.measured', 'agent.bytes'] as const;
type Name = (typeof NAMES)[number];

interface Readings {
  readonly times: number[];
  readonly values: number[];
}

/** Bytes that the agent held in a process at a moment, about. */
export type AgentMemory = (pid: number, ns: number) => number;

/** null where no agent held anything. */
export function agentMemory(recording: Recording): AgentMemory | null {
  const byPid = readingsByPid(recording);
  if (byPid.size === 0) return null;
  return (pid, ns) => {
    const of = byPid.get(pid);
    if (!of) return 0;
    const at = (name: Name) => valueAt(of.get(name), ns);
    // A new history is written into what malloc kept of the last one.
    return Math.max(at('history.bytes'), at('history.left')) + at('agent.bytes');
  };
}

/** The same as one figure for the whole tree, or for some of its processes. */
export function agentMemorySum(
  recording: Recording,
  only: ReadonlySet<number> | null = null,
): (ns: number) => number {
  const of = agentMemory(recording);
  if (!of) return () => 0;
  const pids = [...readingsByPid(recording).keys()].filter((pid) => !only || only.has(pid));
  const ends = lastSeen(recording);
  return (ns) => pids.reduce((sum, pid) => (ends.get(pid)! < ns ? sum : sum + of(pid, ns)), 0);
}

/** Bytes of the histories of CUDA's allocator that the agent kept at a moment, all processes together. */
export function historySum(recording: Recording): (ns: number) => number {
  const kept = [...readingsByPid(recording).values()].map((of) => of.get('history.bytes'));
  return (ns) => kept.reduce((sum, readings) => sum + valueAt(readings, ns), 0);
}

/** When the agent's own code had been loaded in the last process that it looks into; null: nowhere, or with the program itself. */
export function agentLoadedNs(recording: Recording): number | null {
  const loaded = [...readingsByPid(recording).values()].map((of) =>
    of.get('agent.bytes')?.times.at(-1),
  );
  const last = Math.max(...loaded.map((ns) => ns ?? Number.NEGATIVE_INFINITY));
  return Number.isFinite(last) ? last : null;
}

type ByPid = Map<number, Map<Name, Readings>>;
const known = new WeakMap<Table, ByPid>();

function readingsByPid(recording: Recording): ByPid {
  const table = recording.table('counters');
  let found = known.get(table);
  if (!found) {
    found = readByPid(recording, table);
    known.set(table, found);
  }
  return found;
}

function readByPid(recording: Recording, table: Table): ByPid {
  const [times, pids] = [table.f64('time'), table.u32('pid')];
  const [names, values] = [table.u32('name'), table.f64('value')];
  const named = new Map<number, Name>();
  for (const id of new Set(names)) {
    const name = NAMES.find((one) => one === recording.text(id));
    if (name) named.set(id, name);
  }
  const found: ByPid = new Map();
  if (named.size === 0) return found;
  for (let row = 0; row < table.rows; row++) {
    const name = named.get(names[row]!);
    if (!name) continue;
    const of = found.get(pids[row]!) ?? new Map<Name, Readings>();
    found.set(pids[row]!, of);
    const readings = of.get(name) ?? { times: [], values: [] };
    of.set(name, readings);
    readings.times.push(times[row]!);
    readings.values.push(values[row]!);
  }
  for (const of of found.values()) scaleHistory(of);
  return found;
}

/** What a history was guessed to take is held against what malloc got back when it was switched off. */
function scaleHistory(of: ReadonlyMap<Name, Readings>): void {
  const [guessed, measured] = [of.get('history.bytes'), of.get('history.measured')];
  if (!guessed || !measured) return;
  let from = 0;
  for (const [i, ns] of measured.times.entries()) {
    const last = lastUpTo(guessed.times, ns);
    const scale = measured.values[i]! / guessed.values[last]!;
    if (!Number.isFinite(scale)) continue;
    for (let row = from; row <= last; row++) guessed.values[row]! *= scale;
    from = last + 1;
  }
}

/** The histories of CUDA's allocator, all processes together. */
export interface Histories {
  /** Host memory, each at its largest. */
  readonly bytes: number;
  /** Whether each was measured when it ended, so that nothing is a guess. */
  readonly measured: boolean;
}

export function histories(recording: Recording): Histories {
  const some = [...readingsByPid(recording).values()].filter((of) => of.has('history.bytes'));
  const largest = (of: ReadonlyMap<Name, Readings>) =>
    of.get('history.bytes')!.values.reduce((most, value) => Math.max(most, value), 0);
  return {
    bytes: some.reduce((sum, of) => sum + largest(of), 0),
    measured: some.every((of) => of.has('history.measured')),
  };
}

/** Between two readings it grew evenly; what is given back is given back at once. */
function valueAt(readings: Readings | undefined, ns: number): number {
  if (!readings) return 0;
  const { times, values } = readings;
  const at = lastUpTo(times, ns);
  if (at < 0) return 0;
  const [value, next] = [values[at]!, values[at + 1]];
  if (next === undefined || next <= value) return value;
  return value + ((next - value) * (ns - times[at]!)) / (times[at + 1]! - times[at]!);
}

/** NaN, so never before anything, for a process that lives on. */
export function lastSeen(recording: Recording): Map<number, number> {
  const table = recording.table('processes');
  const [pids, ends] = [table.u32('pid'), table.f64('last_seen')];
  return new Map(Array.from(pids, (pid, row) => [pid, ends[row]!]));
}
