import type { Recording } from '../../model/recording.ts';

/** What a model's parts held when the framework counted most. */
export interface LayerFigures {
  /** By category. */
  readonly atPeak: Readonly<Record<string, number>>;
  /** Held by the allocator and free at that moment. */
  readonly cachedBytes: number;
}

/** Kinds that are not live: the allocator's and the device's own. */
const NOT_LIVE = ['cached', 'context'];

/** null where no profiler told of layers. Processes each have a peak of their own, and are summed. */
export function layerFigures(recording: Recording): LayerFigures | null {
  const table = recording.table('layers');
  if (table.rows === 0) return null;
  const [times, pids, bytes] = [table.f64('time'), table.u32('pid'), table.f64('bytes')];
  const [names, kinds] = [table.u32('name'), table.u32('kind')];
  const processes = new Map<number, Process>();
  for (let row = 0; row < table.rows; row++) {
    const process = processes.get(pids[row]!) ?? {
      now: new Map(),
      time: times[row]!,
      most: 0,
      atMost: null,
    };
    processes.set(pids[row]!, process);
    if (process.time !== times[row]) settle(process);
    process.time = times[row]!;
    const kind = recording.text(kinds[row]!);
    const key = kind === 'at_peak' ? recording.text(names[row]!) : kind === 'peak' ? kind : null;
    // A row stands for what changed: the rest of that moment was said before.
    if (key !== null) process.now.set(key, Number.isNaN(bytes[row]!) ? 0 : bytes[row]!);
  }
  const sums = new Map<string, number>();
  for (const process of processes.values()) {
    settle(process);
    for (const [name, value] of process.atMost ?? []) sums.set(name, (sums.get(name) ?? 0) + value);
  }
  const live = [...sums].filter(([name]) => name !== 'peak' && !NOT_LIVE.includes(name));
  return { atPeak: Object.fromEntries(live), cachedBytes: sums.get('cached') ?? 0 };
}

interface Process {
  readonly now: Map<string, number>;
  time: number;
  most: number;
  atMost: ReadonlyMap<string, number> | null;
}

function settle(process: Process): void {
  const peak = process.now.get('peak') ?? 0;
  if (peak <= process.most) return;
  process.most = peak;
  process.atMost = new Map(process.now);
}
