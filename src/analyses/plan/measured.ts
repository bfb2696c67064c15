import { SECOND_NS } from '../../base/time.ts';
import type { Recording } from '../../model/recording.ts';
import { cardBytesByPid, highest, type Readings, residentByPid, torchByPid } from './readings.ts';

/** What a process really held, in parts that add up to `bytes`. */
export interface Measured {
  readonly pid: number;
  /** Why it is thought to be the one whose plan it is. */
  readonly who: 'named' | 'only one' | 'largest';
  /** `card`: what the driver says that it held; `host`: its resident size, with all that is no part of a plan. */
  readonly place: 'card' | 'host';
  /** The most since its plan was complete. */
  readonly bytes: number;
  readonly ns: number;
  readonly parts: readonly MeasuredPart[];
  /** Tensors at their most, less those that stay; null: torch did not tell. */
  readonly workBytes: number | null;
}

export interface MeasuredPart {
  /** `stays`: allocated all the time; `work`: at the most, beyond that; `unused`: kept by the allocator; `outside`: not of torch. */
  readonly what: 'stays' | 'work' | 'unused' | 'outside' | 'whole';
  readonly bytes: number;
  readonly from: string;
}

/** A reading of torch's counters further away than this says nothing of a moment. */
const NEAR_NS = 2 * SECOND_NS;
/** A reading of tensors that stay: so few of them may be lower, while it ends or as it begins. */
const STAYS = 0.1;

/** What is known of whose plan it is. */
export interface Whose {
  /** The plan is for a card. */
  readonly onCard: boolean;
  /** No other process of the same engine planned then: a process that nobody names is that one's. */
  readonly alone: boolean;
}

const NO_READING = 'no reading of its memory since then';
const NOT_WHOSE =
  'several processes of this engine planned, and their numbers in the log are of no process here';

/** The readings of a recording that plans are held against. */
export class MeasuredMemory {
  readonly #card: ReadonlyMap<number, Readings>;
  readonly #resident: ReadonlyMap<number, Readings>;
  readonly #allocated: ReadonlyMap<number, Readings>;
  readonly #reserved: ReadonlyMap<number, Readings>;
  readonly #peak: ReadonlyMap<number, Readings>;
  readonly #tree: ReadonlySet<number>;
  readonly #hasCards: boolean;

  constructor(recording: Recording) {
    this.#card = cardBytesByPid(recording);
    this.#resident = residentByPid(recording);
    this.#allocated = torchByPid(recording, 'allocated');
    this.#reserved = torchByPid(recording, 'reserved');
    this.#peak = torchByPid(recording, 'peak');
    this.#tree = new Set(this.#resident.keys());
    this.#hasCards = recording.table('gpu').rows > 0;
  }

  /**
   * What the process whose plan it is held from one moment to another, where it did not sleep. `pid`: as its log says it;
   * in a container that may be a number of its own. A reason where it is not known what it held.
   */
  of(pid: number | null, from: number, to: number, { onCard, alone }: Whose): Measured | string {
    const [card, ...others] = this.#candidates(this.#card, pid, from, to);
    if (card) {
      if (card.who !== 'named' && !alone) return NOT_WHOSE;
      // The largest on the card may be a trainer beside the engine.
      if (card.who !== 'named' && others.length > 0)
        return `${others.length + 1} processes held memory on the card, and the log does not say which of them it is`;
      return this.#onCard(card.pid, card.who, from, to) ?? NO_READING;
    }
    // A machine with cards, and none of them tells of this process: what it has of the host's memory is another thing.
    if (onCard && this.#hasCards) return 'the driver tells of no process of this run on the card';
    const [host] = this.#candidates(this.#resident, pid, from, to);
    if (host && host.who !== 'named' && !alone) return NOT_WHOSE;
    const most = host && highest(this.#resident.get(host.pid)!, from, to);
    if (!host || !most) return NO_READING;
    const part = { what: 'whole', bytes: most.bytes, from: 'resident size' } as const;
    return { pid: host.pid, who: host.who, place: 'host', ...most, parts: [part], workBytes: null };
  }

  /** Processes of this run that held anything meanwhile, the most first; the one of that name alone. */
  #candidates(
    all: ReadonlyMap<number, Readings>,
    pid: number | null,
    from: number,
    to: number,
  ): Pick<Measured, 'pid' | 'who'>[] {
    const own = [...all].flatMap(([one, readings]) => {
      const most = this.#tree.has(one) ? highest(readings, from, to) : null;
      return most && most.bytes > 0 ? [{ pid: one, bytes: most.bytes }] : [];
    });
    // A name that is of no process here: it has other numbers where it runs.
    if (own.some((one) => one.pid === pid)) return [{ pid: pid!, who: 'named' }];
    const who = own.length === 1 ? 'only one' : 'largest';
    return own.sort((a, b) => b.bytes - a.bytes).map((one) => ({ pid: one.pid, who }));
  }

  #onCard(pid: number, who: Measured['who'], from: number, to: number): Measured | null {
    const most = highest(this.#card.get(pid)!, from, to);
    if (!most) return null;
    const whole = { what: 'whole', bytes: most.bytes, from: 'driver' } as const;
    const none = { pid, who, place: 'card', ...most, parts: [whole], workBytes: null } as const;
    const reserved = nearest(this.#reserved.get(pid), most.ns);
    const allocated = within(this.#allocated.get(pid), from, to);
    if (reserved === null || !allocated || reserved > most.bytes) return none;
    const stays = Math.min(lowOf(allocated.values), reserved);
    const live = Math.max(
      allocated.values.reduce((a, b) => Math.max(a, b)),
      this.#newPeak(pid, from, to),
    );
    const used = Math.min(live, reserved);
    return {
      ...none,
      workBytes: live - stays,
      parts: [
        { what: 'stays', bytes: stays, from: "torch's counters, at their lowest" },
        {
          what: 'work',
          bytes: used - stays,
          from: "torch's counters, at their highest less the lowest",
        },
        { what: 'unused', bytes: reserved - used, from: "torch's reserved less that" },
        { what: 'outside', bytes: most.bytes - reserved, from: "driver less torch's reserved" },
      ],
    };
  }

  /** Torch's own peak, where it rose meanwhile: before, it is of the loading, or of a trial. */
  #newPeak(pid: number, from: number, to: number): number {
    const peaks = this.#peak.get(pid);
    if (!peaks) return 0;
    const before = peaks.times.findLastIndex((ns) => ns < from);
    const old = before < 0 ? (peaks.values[0] ?? 0) : peaks.values[before]!;
    const most = highest(peaks, from, to);
    return most && most.bytes > old ? most.bytes : 0;
  }
}

function within(readings: Readings | undefined, from: number, to: number): Readings | null {
  if (!readings) return null;
  const rows = [...readings.times.keys()].filter(
    (i) => readings.times[i]! >= from && readings.times[i]! <= to,
  );
  if (rows.length === 0) return null;
  return {
    times: rows.map((i) => readings.times[i]!),
    values: rows.map((i) => readings.values[i]!),
  };
}

function lowOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(STAYS * (sorted.length - 1))]!;
}

function nearest(readings: Readings | undefined, ns: number): number | null {
  if (!readings) return null;
  let best = -1;
  for (const [i, time] of readings.times.entries())
    if (best < 0 || Math.abs(time - ns) < Math.abs(readings.times[best]! - ns)) best = i;
  return best >= 0 && Math.abs(readings.times[best]! - ns) <= NEAR_NS
    ? readings.values[best]!
    : null;
}
