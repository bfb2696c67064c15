import { lastUpTo } from '../../../base/search.ts';
import type { Recording } from '../../../model/recording.ts';

/** What torch had reserved on a device by its own word, in one process. */
interface Readings {
  readonly times: number[];
  readonly values: number[];
}

/**
 * What context and libraries took: what the driver counted for a process less what torch had reserved. Both are read at moments of
 * their own, so that only those count at which torch read the same before and after. Libraries are loaded as they are needed: the
 * most counts. null: the recording has no two such figures of one process on one card.
 */
export function measuredContext(recording: Recording, device: number): number | null {
  const readings = readingsOf(recording, `torch${device}.reserved`);
  if (readings.size === 0) return null;
  const table = recording.table('gpu_process');
  const [times, cards, pids] = [table.f64('time'), table.u32('gpu'), table.u32('pid')];
  const used = table.f64('used');
  const cardOf = new Map<number, number>();
  const most = new Map<number, number>();
  for (let row = 0; row < table.rows; row++) {
    const pid = pids[row]!;
    const own = readings.get(pid);
    if (!own || !(used[row]! > 0)) continue;
    // On several cards nobody knows which is the one that torch calls so.
    if ((cardOf.get(pid) ?? cards[row]) !== cards[row]) return null;
    cardOf.set(pid, cards[row]!);
    const before = lastUpTo(own.times, times[row]!);
    const reserved = own.values[before];
    if (reserved === undefined || own.values[before + 1] !== reserved) continue;
    const context = used[row]! - reserved;
    if (context >= 0) most.set(pid, Math.max(most.get(pid) ?? 0, context));
  }
  return most.size > 0 ? Math.max(...most.values()) : null;
}

function readingsOf(recording: Recording, name: string): Map<number, Readings> {
  const table = recording.table('counters');
  const [times, pids] = [table.f64('time'), table.u32('pid')];
  const [names, values] = [table.u32('name'), table.f64('value')];
  const wanted = new Set([...new Set(names)].filter((id) => recording.text(id) === name));
  const found = new Map<number, Readings>();
  for (let row = 0; row < table.rows; row++) {
    if (!wanted.has(names[row]!)) continue;
    const own = found.get(pids[row]!) ?? { times: [], values: [] };
    own.times.push(times[row]!);
    own.values.push(values[row]!);
    found.set(pids[row]!, own);
  }
  return found;
}
