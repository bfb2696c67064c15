import { countBefore } from '../../base/search.ts';
import type { Recording } from '../recording.ts';

export interface Iteration {
  /** Its end, in ns since the recording's start. */
  readonly ns: number;
  readonly epoch: number | null;
  readonly iteration: number | null;
}

export interface PartChange {
  /** The iteration from which on the value holds, as an index into the process's iterations. */
  readonly at: number;
  /** null: gone, or not measured. */
  readonly bytes: number | null;
}

/** One name and kind over all iterations. */
export interface PartHistory {
  readonly name: string;
  readonly kind: string;
  readonly changes: readonly PartChange[];
}

/** What a profiler recorded of one process's model. */
export interface LayerHistory {
  readonly pid: number;
  readonly rank: number | null;
  readonly iterations: readonly Iteration[];
  readonly parts: readonly PartHistory[];
}

interface OpenHistory extends LayerHistory {
  readonly iterations: Iteration[];
  readonly parts: PartHistory[];
  readonly byKey: Map<string, PartChange[]>;
}

/** The `layers` table, process by process, in the order of their first rows. */
export function layerHistories(recording: Recording): LayerHistory[] {
  const table = recording.table('layers');
  const [times, pids, ranks] = [table.f64('time'), table.u32('pid'), table.f64('rank')];
  const [epochs, numbers] = [table.f64('epoch'), table.f64('iteration')];
  const [names, kinds, bytes] = [table.u32('name'), table.u32('kind'), table.f64('bytes')];
  const found = new Map<number, OpenHistory>();
  for (let row = 0; row < table.rows; row++) {
    const pid = pids[row]!;
    const history: OpenHistory = found.get(pid) ?? {
      pid,
      rank: orNull(ranks[row]!),
      iterations: [],
      parts: [],
      byKey: new Map(),
    };
    found.set(pid, history);
    const now = { ns: times[row]!, epoch: orNull(epochs[row]!), iteration: orNull(numbers[row]!) };
    if (!isSame(history.iterations.at(-1), now)) history.iterations.push(now);
    const kind = recording.text(kinds[row]!);
    // A row that only says that there was an iteration.
    if (kind === 'iteration') continue;
    const key = `${kinds[row]} ${names[row]}`;
    let changes = history.byKey.get(key);
    if (!changes) {
      changes = [];
      history.byKey.set(key, changes);
      history.parts.push({ name: recording.text(names[row]!), kind, changes });
    }
    changes.push({ at: history.iterations.length - 1, bytes: orNull(bytes[row]!) });
  }
  const epochAt = markedEpochs(recording);
  return [...found.values()].map(({ byKey: _, ...history }) => ({
    ...history,
    iterations: inMarkedEpochs(history.iterations, epochAt),
  }));
}

/** A profiler that nobody tells of an epoch's end has all iterations in the first: then the marks of epochs tell it. */
function inMarkedEpochs(
  iterations: readonly Iteration[],
  epochAt: ((ns: number) => number | null) | null,
): readonly Iteration[] {
  const isTold = iterations.some(({ epoch }) => epoch !== iterations[0]!.epoch);
  if (isTold || !epochAt) return iterations;
  return iterations.map((one) => ({ ...one, epoch: epochAt(one.ns) }));
}

/** The epoch that was marked last before a moment; null where none is marked with a number. */
function markedEpochs(recording: Recording): ((ns: number) => number | null) | null {
  const marks = recording.table('marks');
  const [kinds, times, numbers] = [marks.u32('kind'), marks.f64('time'), marks.f64('epoch')];
  const rows = [...kinds.keys()]
    .filter((row) => recording.text(kinds[row]!) === 'epoch' && !Number.isNaN(numbers[row]!))
    .sort((a, b) => times[a]! - times[b]!);
  if (rows.length === 0) return null;
  return (ns) => {
    const before = countBefore(rows.length, (i) => times[rows[i]!]! <= ns);
    return before === 0 ? null : numbers[rows[before - 1]!]!;
  };
}

/** A large iteration comes in several messages. */
function isSame(last: Iteration | undefined, now: Iteration): boolean {
  if (last?.epoch !== now.epoch || last.iteration !== now.iteration) return false;
  return now.iteration !== null || last.ns === now.ns;
}

const orNull = (value: number) => (Number.isNaN(value) ? null : value);

/** What a part held in an iteration; null where it was not there. */
export function bytesAt({ changes }: PartHistory, iteration: number): number | null {
  const count = countBefore(changes.length, (index) => changes[index]!.at <= iteration);
  return changes[count - 1]?.bytes ?? null;
}

/** Sums of all parts that `keyOf` gives a key, iteration by iteration. */
export function sumsBy(
  { parts, iterations }: LayerHistory,
  keyOf: (part: PartHistory) => string | null,
): Map<string, Float64Array> {
  const sums = new Map<string, Float64Array>();
  for (const part of parts) {
    const key = keyOf(part);
    if (key === null) continue;
    const rises = sums.get(key) ?? new Float64Array(iterations.length);
    sums.set(key, rises);
    let before = 0;
    for (const { at, bytes } of part.changes) {
      rises[at]! += (bytes ?? 0) - before;
      before = bytes ?? 0;
    }
  }
  for (const values of sums.values()) {
    for (let i = 1; i < values.length; i++) values[i]! += values[i - 1]!;
  }
  return sums;
}
