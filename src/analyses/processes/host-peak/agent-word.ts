import { SECOND_NS } from '../../../base/time.ts';
import { type CacheHolder, type CacheLook, cacheHolders } from '../../../model/cache-holders.ts';
import type { Recording } from '../../../model/recording.ts';
import { type HeldLook, heldLooks } from './held.ts';
import type { Steady } from './steady.ts';

/** What a process said of its own memory, nearest to a moment. */
export interface AgentWord {
  /** null: malloc did not tell, or of another moment. */
  readonly malloc: Handed | null;
  /** Python's own allocator, of objects of up to 512 bytes. */
  readonly python: Handed | null;
  /** What torch has pinned for copies to a card, and of that handed out, where it counts that; null where it pins nothing. */
  readonly pinned: {
    readonly reserved: number;
    readonly allocated: number | null;
    readonly secondsOff: number;
  } | null;
  /** Who holds it; null where nobody looked. */
  readonly held: (HeldLook & { readonly secondsOff: number }) | null;
  /** Tensors on the host that became more as it served, by who holds them. */
  readonly caches: readonly (Pick<CacheHolder, 'holder' | 'container'> & CacheLook)[];
  /** What malloc had handed out beside what is held by name, between two steps of a training: libraries and the like. */
  readonly betweenSteps: number | null;
  /** In use when its framework had just been imported. */
  readonly imported: { readonly malloc: number; readonly python: number };
}

/** Handed out, and kept free besides. */
interface Handed {
  readonly inUse: number;
  readonly free: number;
  readonly secondsOff: number;
}

export function agentWord(
  recording: Recording,
  pid: number,
  ns: number,
  steady: Steady,
): AgentWord {
  const counters = countersOf(recording, pid);
  const looks = heldLooks(recording, pid);
  const pair = (used: string, other: string, free: (used: number, other: number) => number) => {
    const [a, b] = [nearest(counters.get(used), ns), nearest(counters.get(other), ns)];
    if (!a || !b || !steady(a.ns, ns) || !steady(b.ns, ns)) return null;
    const secondsOff = (a.ns - ns) / SECOND_NS;
    return { inUse: a.value, free: free(a.value, b.value), secondsOff };
  };
  const look = nearest(looks, ns);
  const [reserved, allocated] = ['pinned.reserved', 'pinned.allocated'].map((name) =>
    nearest(counters.get(name), ns),
  );
  return {
    malloc: pair('malloc.in_use', 'malloc.free', (_, free) => free),
    python: pair('python.in_use', 'python.arenas', (inUse, all) => Math.max(0, all - inUse)),
    pinned: reserved
      ? {
          reserved: reserved.value,
          allocated: allocated?.value ?? null,
          secondsOff: (reserved.ns - ns) / SECOND_NS,
        }
      : null,
    held: look ? { ...look, secondsOff: (look.ns - ns) / SECOND_NS } : null,
    caches: cacheHolders(recording).flatMap((one) => {
      const seen = nearest(one.looks, ns);
      return one.pid === pid && one.device === 'cpu' && seen && steady(seen.ns, ns)
        ? [{ holder: one.holder, container: one.container, ...seen }]
        : [];
    }),
    betweenSteps: lowest(counters.get('malloc.besides')),
    imported: {
      malloc: lowest(counters.get('malloc.imported')) ?? 0,
      python: lowest(counters.get('python.imported')) ?? 0,
    },
  };
}

interface Told {
  readonly ns: number;
  readonly value: number;
}

function countersOf(recording: Recording, pid: number): Map<string, Told[]> {
  const table = recording.table('counters');
  const [times, pids] = [table.f64('time'), table.u32('pid')];
  const [names, told] = [table.u32('name'), table.f64('value')];
  const found = new Map<string, Told[]>();
  for (let row = 0; row < table.rows; row++) {
    if (pids[row] !== pid) continue;
    const name = recording.text(names[row]!);
    const values = found.get(name) ?? [];
    values.push({ ns: times[row]!, value: told[row]! });
    found.set(name, values);
  }
  return found;
}

const lowest = (told: readonly Told[] | undefined): number | null =>
  told ? Math.min(...told.map(({ value }) => value)) : null;

const nearest = <T extends { readonly ns: number }>(
  all: readonly T[] | undefined,
  ns: number,
): T | null =>
  (all ?? []).reduce<T | null>(
    (best, one) => (best && Math.abs(best.ns - ns) <= Math.abs(one.ns - ns) ? best : one),
    null,
  );
