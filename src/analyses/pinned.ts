import { SECOND_NS } from '../base/time.ts';
import { origin } from '../model/origin.ts';
import type { Recording } from '../model/recording.ts';

/** What a process has pinned for copies to a card, when that was most. */
export interface PinnedMemory {
  readonly pid: number;
  /** By torch's own counter: blocks that are locked, handed out or kept. */
  readonly bytes: number;
  readonly seconds: number;
  /** Of them handed out; null: not counted, or counted wrongly (torch 2.11). */
  readonly handedOutBytes: number | null;
  /** What tensors asked for, and what torch rounded them up by, at the look nearest to that moment; null: nobody looked. */
  readonly tensors: {
    readonly askedBytes: number;
    readonly roundingBytes: number;
    readonly seconds: number;
    readonly holders: readonly PinnedHolder[];
  } | null;
}

export interface PinnedHolder {
  /** `[1024, 1024] float32`. */
  readonly what: string;
  readonly holder: string;
  readonly count: number;
  readonly bytes: number;
}

const MOST_HOLDERS = 8;

/** Of each process that pins, the largest first. */
export function pinnedMemory(recording: Recording): PinnedMemory[] {
  const zero = origin(recording).ns;
  const looks = looksByPid(recording);
  return [...mostByPid(recording)]
    .map(([pid, { ns, bytes, handedOut }]): PinnedMemory => {
      const look = [...(looks.get(pid) ?? [])].sort(
        ([a], [b]) => Math.abs(a - ns) - Math.abs(b - ns),
      )[0];
      return {
        pid,
        bytes,
        seconds: (ns - zero) / SECOND_NS,
        // A counter that never goes down tells of more than there is.
        handedOutBytes: handedOut !== null && handedOut <= bytes ? handedOut : null,
        tensors: look
          ? {
              askedBytes: look[1].asked,
              roundingBytes: look[1].rounding,
              seconds: (look[0] - zero) / SECOND_NS,
              holders: look[1].holders.sort((a, b) => b.bytes - a.bytes).slice(0, MOST_HOLDERS),
            }
          : null,
      };
    })
    .sort((a, b) => b.bytes - a.bytes);
}

interface Most {
  ns: number;
  bytes: number;
  handedOut: number | null;
}

function mostByPid(recording: Recording): Map<number, Most> {
  const table = recording.table('counters');
  const [times, pids] = [table.f64('time'), table.u32('pid')];
  const [names, values] = [table.u32('name'), table.f64('value')];
  const found = new Map<number, Most>();
  const handed = new Map<number, { ns: number; value: number }>();
  for (let row = 0; row < table.rows; row++) {
    const name = recording.text(names[row]!);
    const [pid, ns, value] = [pids[row]!, times[row]!, values[row]!];
    if (name === 'pinned.allocated') {
      handed.set(pid, { ns, value });
      const most = found.get(pid);
      if (most?.ns === ns) most.handedOut = value;
    } else if (name === 'pinned.reserved' && value > (found.get(pid)?.bytes ?? 0)) {
      // Told together, in one message.
      const told = handed.get(pid);
      found.set(pid, { ns, bytes: value, handedOut: told?.ns === ns ? told.value : null });
    }
  }
  return found;
}

interface Look {
  asked: number;
  rounding: number;
  readonly holders: PinnedHolder[];
}

function looksByPid(recording: Recording): Map<number, Map<number, Look>> {
  const table = recording.table('held');
  const [times, pids, categories] = [table.f64('time'), table.u32('pid'), table.u32('category')];
  const [whats, holders] = [table.u32('what'), table.u32('holder')];
  const [counts, sizes] = [table.f64('count'), table.f64('bytes')];
  const found = new Map<number, Map<number, Look>>();
  for (let row = 0; row < table.rows; row++) {
    const category = recording.text(categories[row]!);
    if (category !== 'pinned' && category !== 'pinned rounding') continue;
    const looks = found.get(pids[row]!) ?? new Map<number, Look>();
    found.set(pids[row]!, looks);
    const look = looks.get(times[row]!) ?? { asked: 0, rounding: 0, holders: [] };
    looks.set(times[row]!, look);
    if (category === 'pinned rounding') look.rounding += sizes[row]!;
    else {
      look.asked += sizes[row]!;
      const [what, holder] = [recording.text(whats[row]!), recording.text(holders[row]!)];
      look.holders.push({ what, holder, count: counts[row]!, bytes: sizes[row]! });
    }
  }
  return found;
}
