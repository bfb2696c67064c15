import type { Recording } from './recording.ts';

/** What the V8 of one thread of a Node program told of itself (docs/agent-protocol.md). */
export interface V8Memory {
  readonly pid: number;
  /** null: the main one. */
  readonly thread: number | null;
  readonly readings: readonly V8Reading[];
  /** What a collection at the end left; null where there was none. */
  readonly end: V8Held | null;
}

/** Bytes of objects in its heap, and of buffers and the like outside of it that objects there hold. */
export interface V8Held {
  readonly ns: number;
  readonly heap: number;
  readonly external: number;
}

export interface V8Reading extends V8Held {
  /** What its heap has from the system. */
  readonly committed: number;
  /** Major collections up to now. */
  readonly collections: number;
  /** What the last of them left; null before the first. */
  readonly left: V8Held | null;
}

const NAME =
  /^v8\.(heap|committed|external|collections|left_heap|left_external|end_heap|end_external)(?:\.(\d+))?$/;

/** Each thread that told anything, in the order in which they began. */
export function v8Memory(recording: Recording): V8Memory[] {
  const table = recording.table('counters');
  const [times, pids] = [table.f64('time'), table.u32('pid')];
  const [names, values] = [table.u32('name'), table.f64('value')];
  const named = new Map<number, RegExpExecArray>();
  for (const id of new Set(names)) {
    const name = NAME.exec(recording.text(id));
    if (name) named.set(id, name);
  }
  const told = new Map<string, Told>();
  for (let row = 0; row < table.rows; row++) {
    const [, what, thread] = named.get(names[row]!) ?? [];
    if (what === undefined) continue;
    const [pid, ns] = [pids[row]!, times[row]!];
    const of = told.get(`${pid} ${thread}`) ?? { pid, thread, at: new Map() };
    told.set(`${pid} ${thread}`, of);
    of.at.set(ns, { ...of.at.get(ns), [what]: values[row]! });
  }
  return [...told.values()].map(memoryOf);
}

interface Told {
  readonly pid: number;
  readonly thread: string | undefined;
  readonly at: Map<number, Partial<Record<string, number>>>;
}

function memoryOf({ pid, thread, at }: Told): V8Memory {
  const readings: V8Reading[] = [];
  let end: V8Held | null = null;
  for (const [ns, values] of [...at].sort(([a], [b]) => a - b)) {
    const { heap, external, left_heap, left_external, end_heap, end_external } = values;
    if (end_heap !== undefined && end_external !== undefined) {
      end = { ns, heap: end_heap, external: end_external };
    }
    if (heap === undefined || external === undefined) continue;
    const { committed = heap, collections = 0 } = values;
    const hasLeft = left_heap !== undefined && left_external !== undefined;
    const left = hasLeft ? { ns, heap: left_heap, external: left_external } : null;
    readings.push({ ns, heap, external, committed, collections, left });
  }
  return { pid, thread: thread === undefined ? null : Number(thread), readings, end };
}
