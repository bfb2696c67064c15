import { histories } from '../model/agent-memory.ts';
import type { Recording } from '../model/recording.ts';

/** A card on which torch was held to less than it has. */
export interface GpuLimit {
  /** The framework's number of the device. */
  readonly device: number;
  /** What torch might take, the context being off already. */
  readonly allowedBytes: number;
  readonly contextBytes: number;
  /** The driver told it; else it is what contexts usually take. */
  readonly contextKnown: boolean;
  readonly totalBytes: number;
  readonly processes: number;
}

/** What the agent did inside the workload, and what that cost it. */
export interface Inside {
  readonly type: 'inside';
  /** Of following layers, over all processes that did; null where none did. */
  readonly layers: {
    /** Of the time since it began, in the process where it was most. */
    readonly addedShare: number;
    readonly steps: number;
    /** Steps with hooks on every layer. */
    readonly followed: number;
    /** Steps whose CUDA allocations have a tag of their layer; null where there are no tags. */
    readonly tagged: number | null;
    readonly processes: number;
  } | null;
  readonly gpuLimits: readonly GpuLimit[];
  /** Host memory of the histories of CUDA's allocator that the agent kept, about, at most; 0 where it kept none. */
  readonly historyBytes: number;
}

type Values = ReadonlyMap<string, number>;

export function inside(recording: Recording): Inside {
  const processes = [...agentCounters(recording).values()];
  return {
    type: 'inside',
    layers: layersCost(processes),
    gpuLimits: limits(processes),
    historyBytes: histories(recording).bytes,
  };
}

const WANTED = /^(layers|limit\d+)\./;

/** By process, the last value of each counter that is about the agent itself. */
function agentCounters(recording: Recording): Map<number, Map<string, number>> {
  const table = recording.table('counters');
  const [pids, names, values] = [table.u32('pid'), table.u32('name'), table.f64('value')];
  const wanted = new Set([...new Set(names)].filter((id) => WANTED.test(recording.text(id))));
  const found = new Map<number, Map<string, number>>();
  for (let row = 0; row < table.rows; row++) {
    if (!wanted.has(names[row]!)) continue;
    const mine = found.get(pids[row]!) ?? new Map<string, number>();
    mine.set(recording.text(names[row]!), values[row]!);
    found.set(pids[row]!, mine);
  }
  return found;
}

function layersCost(processes: readonly Values[]): Inside['layers'] {
  const some = processes.filter((values) => (values.get('layers.time_ns') ?? 0) > 0);
  if (some.length === 0) return null;
  const share = (values: Values) =>
    (values.get('layers.added_ns') ?? 0) / values.get('layers.time_ns')!;
  const most = some.reduce((a, b) => (share(b) > share(a) ? b : a));
  return {
    addedShare: share(most),
    steps: most.get('layers.steps') ?? 0,
    followed: most.get('layers.followed') ?? 0,
    tagged: most.get('layers.tagged') ?? null,
    processes: some.length,
  };
}

function limits(processes: readonly Values[]): GpuLimit[] {
  const found = new Map<number, GpuLimit>();
  for (const values of processes) {
    for (const [name, allowedBytes] of values) {
      const device = Number(/^limit(\d+)\.allowed$/.exec(name)?.[1] ?? Number.NaN);
      if (Number.isNaN(device)) continue;
      found.set(device, {
        device,
        allowedBytes,
        contextBytes: values.get(`limit${device}.context`) ?? 0,
        contextKnown: values.get(`limit${device}.context_known`) === 1,
        totalBytes: values.get(`limit${device}.total`) ?? 0,
        processes: (found.get(device)?.processes ?? 0) + 1,
      });
    }
  }
  return [...found.values()].sort((a, b) => a.device - b.device);
}
