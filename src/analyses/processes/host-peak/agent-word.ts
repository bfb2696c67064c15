import { SECOND_NS } from '../../../base/time.ts';
import type { Recording } from '../../../model/recording.ts';

/** What a process said of its own memory, nearest to a moment. */
export interface AgentWord {
  /** Handed out by malloc, and kept free by it; null where it did not tell. */
  readonly malloc: {
    readonly inUse: number;
    readonly free: number;
    readonly secondsOff: number;
  } | null;
  /** On the host, the largest groups first; null where none were looked for. */
  readonly tensors: {
    readonly groups: readonly TensorGroup[];
    readonly secondsOff: number;
  } | null;
  readonly isPython: boolean;
}

export interface TensorGroup {
  readonly what: string;
  readonly holder: string;
  readonly count: number;
  readonly bytes: number;
}

export function agentWord(recording: Recording, pid: number, ns: number): AgentWord {
  const { values, isPython } = countersAt(recording, pid, ns);
  const [inUse, free] = [values.get('malloc.in_use'), values.get('malloc.free')];
  return {
    malloc:
      inUse && free
        ? { inUse: inUse.value, free: free.value, secondsOff: (inUse.ns - ns) / SECOND_NS }
        : null,
    tensors: tensorsAt(recording, pid, ns),
    isPython,
  };
}

interface Told {
  readonly ns: number;
  readonly value: number;
}

function countersAt(recording: Recording, pid: number, ns: number) {
  const table = recording.table('counters');
  const [times, pids] = [table.f64('time'), table.u32('pid')];
  const [names, told] = [table.u32('name'), table.f64('value')];
  const values = new Map<string, Told>();
  for (let row = 0; row < table.rows; row++) {
    if (pids[row] !== pid) continue;
    const name = recording.text(names[row]!);
    const before = values.get(name);
    if (!before || Math.abs(times[row]! - ns) < Math.abs(before.ns - ns)) {
      values.set(name, { ns: times[row]!, value: told[row]! });
    }
  }
  return { values, isPython: values.has('python.blocks') };
}

/** Of the look that is nearest. */
function tensorsAt(recording: Recording, pid: number, ns: number): AgentWord['tensors'] {
  const table = recording.table('tensors');
  const [times, pids, devices] = [table.f64('time'), table.u32('pid'), table.u32('device')];
  const [shapes, dtypes] = [table.u32('shape'), table.u32('dtype')];
  const [whats, holders] = [table.u32('what'), table.u32('holder')];
  const [counts, sizes] = [table.f64('count'), table.f64('bytes')];
  let nearest = Number.POSITIVE_INFINITY;
  for (let row = 0; row < table.rows; row++) {
    if (pids[row] === pid && Math.abs(times[row]! - ns) < Math.abs(nearest - ns)) {
      nearest = times[row]!;
    }
  }
  if (!Number.isFinite(nearest)) return null;
  const groups: TensorGroup[] = [];
  for (let row = 0; row < table.rows; row++) {
    if (pids[row] !== pid || times[row] !== nearest) continue;
    if (recording.text(devices[row]!) !== 'cpu') continue;
    const shape = `${recording.text(shapes[row]!)} ${recording.text(dtypes[row]!)}`;
    const what = recording.text(whats[row]!);
    groups.push({
      what: what === '' ? shape : `${what} ${shape}`,
      holder: recording.text(holders[row]!),
      count: counts[row]!,
      bytes: sizes[row]!,
    });
  }
  return {
    groups: groups.sort((a, b) => b.bytes - a.bytes),
    secondsOff: (nearest - ns) / SECOND_NS,
  };
}
