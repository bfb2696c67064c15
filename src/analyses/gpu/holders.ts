import { firstFrom } from '../../base/search.ts';
import { SECOND_NS } from '../../base/time.ts';
import type { Series } from '../../model/series.ts';
import type { Table } from '../../model/table.ts';

/** How far from a moment a look may be and still be held against a nearer one. */
const AROUND_NS = 2 * SECOND_NS;

/** One look of the driver at who is on a card. */
export interface Round {
  readonly ns: number;
  /** Bytes by pid, NaN where not told; null: there was no list of this card. */
  readonly held: ReadonlyMap<number, number> | null;
}

/** The driver's lists of processes, found by card and moment. */
export class Holders {
  readonly #table: Table;

  constructor(table: Table) {
    this.#table = table;
  }

  /**
   * The look that tells most of a moment; null where there was none. Memory is read more often than
   * lists, so that the nearest look may be of the state just before: of those around, the one counts
   * at which the card held about as much.
   */
  around(gpu: number, ns: number, used: Series): Round | null {
    const times = this.#table.f64('time');
    if (times.length === 0) return null;
    const level = levelAt(used, ns);
    let best = nearest(times, ns);
    let bestOff = Math.abs(levelAt(used, best) - level);
    for (let row = firstFrom(times, ns - AROUND_NS); times[row]! <= ns + AROUND_NS; row++) {
      const time = times[row]!;
      const off = Math.abs(levelAt(used, time) - level);
      const nearer = Math.abs(time - ns) < Math.abs(best - ns);
      if (off < bestOff || (off === bestOff && nearer)) {
        best = time;
        bestOff = off;
      }
    }
    return this.#at(gpu, best);
  }

  /** What one process held on a card, by each look at which it was told. */
  of(gpu: number, pid: number): { readonly ns: number; readonly bytes: number }[] {
    const table = this.#table;
    const [times, cardOf] = [table.f64('time'), table.u32('gpu')];
    const [pids, used] = [table.u32('pid'), table.f64('used')];
    const found: { ns: number; bytes: number }[] = [];
    for (let row = 0; row < table.rows; row++) {
      if (cardOf[row] !== gpu || pids[row] !== pid || Number.isNaN(used[row]!)) continue;
      found.push({ ns: times[row]!, bytes: used[row]! });
    }
    return found;
  }

  /** The most that each process ever held on each card: bytes by card by pid. */
  most(): ReadonlyMap<number, ReadonlyMap<number, number>> {
    const table = this.#table;
    const [cardOf, pids, used] = [table.u32('gpu'), table.u32('pid'), table.f64('used')];
    const found = new Map<number, Map<number, number>>();
    for (let row = 0; row < table.rows; row++) {
      const pid = pids[row]!;
      if (pid === 0) continue;
      const byCard = found.get(pid) ?? new Map<number, number>();
      found.set(pid, byCard);
      byCard.set(cardOf[row]!, Math.max(byCard.get(cardOf[row]!) ?? 0, used[row] || 0));
    }
    return found;
  }

  #at(gpu: number, ns: number): Round {
    const table = this.#table;
    const times = table.f64('time');
    const [cardOf, pids, used] = [table.u32('gpu'), table.u32('pid'), table.f64('used')];
    const held = new Map<number, number>();
    // A card without a row in a look was empty; one without a list has a row that says so.
    let listed = true;
    for (let row = firstFrom(times, ns); row < times.length && times[row] === ns; row++) {
      if (cardOf[row] !== gpu) continue;
      if (pids[row]! > 0) held.set(pids[row]!, used[row]!);
      else if (Number.isNaN(used[row]!)) listed = false;
    }
    return { ns, held: listed ? held : null };
  }
}

function nearest(times: Float64Array, ns: number): number {
  const after = firstFrom(times, ns);
  const later = times[after] ?? Number.POSITIVE_INFINITY;
  const earlier = times[after - 1] ?? Number.NEGATIVE_INFINITY;
  return later - ns <= ns - earlier ? later : earlier;
}

/** What a series was at a moment: its last value up to then, or its first. */
export function levelAt({ times, values }: Series, ns: number): number {
  const at = firstFrom(times, ns);
  return values[times[at] === ns ? at : Math.max(0, at - 1)]!;
}
