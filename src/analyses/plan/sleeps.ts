import { student95 } from '../../base/stats.ts';
import { SECOND_NS } from '../../base/time.ts';
import { origin } from '../../model/origin.ts';
import type { Recording } from '../../model/recording.ts';
import {
  cardBytesByPid,
  highest,
  lowest,
  type Readings,
  residentByPid,
  torchByPid,
} from './readings.ts';

/** A process that falls asleep and wakes again, as an engine beside a trainer does: what it holds while it sleeps. */
export interface Sleeper {
  readonly pid: number;
  /** `vllm` …; empty where marks of the program tell. */
  readonly engine: string;
  readonly place: 'card' | 'host';
  /** Why it is this process: its log or its marks name it, it is the only one, the only one that serves, or the one that became smaller each time. */
  readonly who: 'named' | 'only one' | 'serves' | 'became smaller';
  readonly cycles: readonly SleepCycle[];
  /** Of what was held in each sleep, with a 95 % interval; null: fewer than three sleeps. */
  readonly growth: {
    readonly bytesPerCycle: number;
    readonly low: number;
    readonly high: number;
  } | null;
}

export interface SleepCycle {
  readonly fromSeconds: number;
  /** null: it slept to the end. */
  readonly untilSeconds: number | null;
  /** The most while it was awake before. */
  readonly awakeBytes: number | null;
  /** The least in that sleep: it takes memory again before it says that it woke. */
  readonly heldBytes: number;
  /** What it is, on a card; parts that add up to it. */
  readonly parts: readonly SleepPart[];
}

export interface SleepPart {
  readonly what: 'torch' | 'context' | 'nccl' | 'graphs' | 'other' | 'whole';
  readonly bytes: number;
}

/** A phase that a program marks itself (`highwater.phase("rollout")`). */
export interface MarkedPhase {
  readonly pid: number;
  readonly name: string;
  readonly times: number;
  readonly seconds: number;
  /** The most in all of them; null: no reading fell into one. */
  readonly peakBytes: number | null;
  readonly peakSeconds: number | null;
  readonly place: 'card' | 'host';
}

interface Sleep {
  readonly fromNs: number;
  readonly untilNs: number | null;
  /** By falling asleep, in its own words. */
  readonly freed?: number | null;
}

const FEWEST_CYCLES = 3;
/** So a phase is called in which nothing should be held. */
const ASLEEP: ReadonlySet<string> = new Set(['sleep', 'asleep']);
/** A reading of torch's counters further away says nothing of a moment; what is outside torch stays until it is told anew. */
const NEAR_NS = 2 * SECOND_NS;
/** Falling asleep takes so long, at most, before the line that tells of it. */
const FALLS_NS = 5 * SECOND_NS;
/** It is the one process that became smaller by so much of what the engine freed, each time. */
const MOST_OF_IT = 0.5;

/** By engines' own lines, and by marks of a program. */
export function sleepsOf(recording: Recording): {
  readonly sleepers: Sleeper[];
  readonly phases: MarkedPhase[];
} {
  const memory = new Memory(recording);
  const marked = markedPhases(recording);
  const byMarks = [...marked].flatMap(([pid, phases]): Sleeper[] => {
    const sleeps = [...phases].flatMap(([name, found]) => (ASLEEP.has(name) ? found : []));
    const found = memory.sleeper(pid, 'named', '', sleeps);
    return found ? [found] : [];
  });
  const known = new Set(byMarks.map(({ pid }) => pid));
  const byLog = loggedSleeps(recording).flatMap(({ engine, pid, sleeps }): Sleeper[] => {
    const whose = memory.whose(pid, sleeps);
    const found = whose && memory.sleeper(whose.pid, whose.who, engine, sleeps);
    return found && !known.has(found.pid) ? [found] : [];
  });
  const phases = [...marked].flatMap(([pid, named]) =>
    [...named].map(([name, found]) => memory.phase(pid, name, found)),
  );
  return { sleepers: [...byMarks, ...byLog], phases };
}

/** What processes hold, on cards where a driver tells, else of the host. */
class Memory {
  readonly #recording: Recording;
  readonly #zero: number;
  readonly #card: ReadonlyMap<number, Readings>;
  readonly #resident: ReadonlyMap<number, Readings>;
  readonly #reserved: ReadonlyMap<number, Readings>;
  /** Passes are told of processes without gradients alone. */
  readonly #serving: ReadonlySet<number>;

  constructor(recording: Recording) {
    this.#recording = recording;
    this.#zero = origin(recording).ns;
    this.#card = cardBytesByPid(recording);
    this.#resident = residentByPid(recording);
    this.#reserved = torchByPid(recording, 'reserved');
    this.#serving = new Set(recording.table('passes').u32('pid'));
  }

  /** Its log may say a number of another namespace, or none. */
  whose(pid: number | null, sleeps: readonly Sleep[]): Pick<Sleeper, 'pid' | 'who'> | null {
    const all = [...this.#resident.keys()];
    if (pid !== null && all.includes(pid)) return { pid, who: 'named' };
    const [only, ...more] = all;
    if (only === undefined) return null;
    if (more.length === 0) return { pid: only, who: 'only one' };
    const serve = all.filter((one) => this.#serving.has(one));
    if (serve.length === 1) return { pid: serve[0]!, who: 'serves' };
    const onCards = all.some((one) => this.#card.has(one));
    const fell = all
      .filter((one) => !onCards || this.#card.has(one))
      .map((one) => ({ pid: one, share: this.#fell(one, sleeps) }))
      .filter(({ share }) => share >= MOST_OF_IT);
    return fell.length === 1 ? { pid: fell[0]!.pid, who: 'became smaller' } : null;
  }

  /** Of what an engine says that it freed, by how much a process became smaller: the least of all sleeps. */
  #fell(pid: number, sleeps: readonly Sleep[]): number {
    const { readings } = this.#of(pid);
    const shares = sleeps.map(({ fromNs, untilNs, freed = null }) => {
      const before = highest(readings, fromNs - FALLS_NS, fromNs);
      const after = lowest(readings, fromNs, untilNs ?? Number.POSITIVE_INFINITY);
      return before && after && freed ? (before.bytes - after.bytes) / freed : 0;
    });
    return shares.length === 0 ? 0 : Math.min(...shares);
  }

  sleeper(
    pid: number,
    who: Sleeper['who'],
    engine: string,
    sleeps: readonly Sleep[],
  ): Sleeper | null {
    const { place, readings } = this.#of(pid);
    const cycles = sleeps.flatMap(({ fromNs, untilNs }, i): SleepCycle[] => {
      const held = lowest(readings, fromNs, untilNs ?? Number.POSITIVE_INFINITY);
      if (!held) return [];
      return [
        {
          fromSeconds: this.#seconds(fromNs),
          untilSeconds: untilNs === null ? null : this.#seconds(untilNs),
          awakeBytes: highest(readings, sleeps[i - 1]?.untilNs ?? 0, fromNs)?.bytes ?? null,
          heldBytes: held.bytes,
          parts: place === 'card' ? this.#parts(pid, held) : [{ what: 'whole', bytes: held.bytes }],
        },
      ];
    });
    if (cycles.length === 0) return null;
    return { pid, engine, place, who, cycles, growth: growthOf(cycles) };
  }

  phase(pid: number, name: string, found: readonly Sleep[]): MarkedPhase {
    const { place, readings } = this.#of(pid);
    const peaks = found.flatMap(({ fromNs, untilNs }) => {
      const most = highest(readings, fromNs, untilNs ?? Number.POSITIVE_INFINITY);
      return most ? [most] : [];
    });
    const peak = peaks.reduce<(typeof peaks)[number] | null>(
      (a, b) => (a && a.bytes >= b.bytes ? a : b),
      null,
    );
    const end = readings.times.at(-1) ?? 0;
    return {
      ...{ pid, name, times: found.length, place },
      seconds:
        found.reduce(
          (sum, { fromNs, untilNs }) => sum + Math.max(0, (untilNs ?? end) - fromNs),
          0,
        ) / SECOND_NS,
      peakBytes: peak?.bytes ?? null,
      peakSeconds: peak && this.#seconds(peak.ns),
    };
  }

  #of(pid: number): { readonly place: Sleeper['place']; readonly readings: Readings } {
    const card = this.#card.get(pid);
    const host = this.#resident.get(pid) ?? { times: [], values: [] };
    return card ? { place: 'card', readings: card } : { place: 'host', readings: host };
  }

  /** Torch's reserved, what is told apart outside of it, and the rest; never more than the whole. */
  #parts(pid: number, { ns, bytes }: { readonly ns: number; readonly bytes: number }): SleepPart[] {
    let left = bytes;
    const parts: SleepPart[] = [];
    const take = (what: SleepPart['what'], told: number | null) => {
      const some = Math.max(0, Math.min(told ?? 0, left));
      left -= some;
      if (some > 0) parts.push({ what, bytes: some });
    };
    const reserved = this.#reserved.get(pid);
    const near = reserved && nearest(reserved, ns);
    take('torch', near?.bytes ?? null);
    for (const what of ['graphs', 'context', 'nccl'] as const)
      take(what, this.#outside(pid, what, ns));
    if (left > 0) parts.push({ what: near ? 'other' : 'whole', bytes: left });
    return parts.sort((a, b) => b.bytes - a.bytes);
  }

  /** On all devices together, as it was told last. */
  #outside(pid: number, what: string, ns: number): number | null {
    const table = this.#recording.table('counters');
    const [times, pids] = [table.f64('time'), table.u32('pid')];
    const [names, values] = [table.u32('name'), table.f64('value')];
    const wanted = new RegExp(`^outside\\d+\\.${what}$`);
    const found = new Map<string, number>();
    for (let row = 0; row < table.rows; row++) {
      if (pids[row] !== pid || times[row]! > ns) continue;
      const name = this.#recording.text(names[row]!);
      if (wanted.test(name)) found.set(name, values[row]!);
    }
    return found.size === 0 ? null : [...found.values()].reduce((a, b) => a + b, 0);
  }

  #seconds(ns: number): number {
    return (ns - this.#zero) / SECOND_NS;
  }
}

/** The reading of a moment, or one that is near to it. */
function nearest({ times, values }: Readings, ns: number): { readonly bytes: number } | null {
  let best = -1;
  for (const [i, time] of times.entries())
    if (best < 0 || Math.abs(time - ns) < Math.abs(times[best]! - ns)) best = i;
  return best >= 0 && Math.abs(times[best]! - ns) <= NEAR_NS ? { bytes: values[best]! } : null;
}

/** A straight line through what was held, cycle by cycle. */
function growthOf(cycles: readonly SleepCycle[]): Sleeper['growth'] {
  const count = cycles.length;
  if (count < FEWEST_CYCLES) return null;
  const held = cycles.map(({ heldBytes }) => heldBytes);
  const mean = held.reduce((a, b) => a + b, 0) / count;
  const middle = (count - 1) / 2;
  const spread = held.reduce((sum, _, i) => sum + (i - middle) ** 2, 0);
  const slope = held.reduce((sum, bytes, i) => sum + (i - middle) * (bytes - mean), 0) / spread;
  const off = held.reduce((sum, bytes, i) => sum + (bytes - mean - slope * (i - middle)) ** 2, 0);
  const half = student95(count - 2) * Math.sqrt(off / (count - 2) / spread);
  return { bytesPerCycle: slope, low: slope - half, high: slope + half };
}

/** Each engine's own lines: of several workers each has its sleeps, and one line tells that all woke. */
function loggedSleeps(recording: Recording) {
  const table = recording.table('planned');
  const [times, pids, values] = [table.f64('time'), table.f64('pid'), table.f64('value')];
  const [engines, workers, whats] = [table.u32('engine'), table.u32('worker'), table.u32('what')];
  const found = new Map<string, { engine: string; pid: number | null; from: number[] }>();
  const freed = new Map<string, Map<number, number>>();
  const woke = new Map<string, number[]>();
  for (let row = 0; row < table.rows; row++) {
    const what = recording.text(whats[row]!);
    const engine = recording.text(engines[row]!);
    if (what === 'woke') woke.set(engine, [...(woke.get(engine) ?? []), times[row]!]);
    const pid = Number.isNaN(pids[row]!) ? null : pids[row]!;
    const key = `${engine} ${recording.text(workers[row]!)} ${pid}`;
    // Of the same line.
    if (what === 'freed')
      freed.set(key, (freed.get(key) ?? new Map()).set(times[row]!, values[row]!));
    if (what !== 'asleep') continue;
    const one = found.get(key) ?? { engine, pid, from: [] };
    found.set(key, one);
    one.from.push(times[row]!);
  }
  return [...found].map(([key, { engine, pid, from }]) => ({
    engine,
    pid,
    sleeps: from.map((fromNs, i): Sleep => {
      const next = from[i + 1] ?? Number.POSITIVE_INFINITY;
      const until = woke.get(engine)?.find((ns) => ns > fromNs && ns < next);
      // Asleep once more without a word that it woke: it did, somewhere between.
      return {
        fromNs,
        untilNs: until ?? (Number.isFinite(next) ? fromNs : null),
        freed: freed.get(key)?.get(fromNs) ?? null,
      };
    }),
  }));
}

/** By process and name, the phases that a program marked itself: those of an optimizer's steps have a number. */
function markedPhases(recording: Recording): Map<number, Map<string, Sleep[]>> {
  const table = recording.table('marks');
  const [times, pids] = [table.f64('time'), table.f64('pid')];
  const [kinds, names, steps] = [table.u32('kind'), table.u32('name'), table.f64('iteration')];
  const found = new Map<number, Map<string, { fromNs: number; untilNs: number | null }[]>>();
  for (let row = 0; row < table.rows; row++) {
    const pid = pids[row]!;
    if (recording.text(kinds[row]!) !== 'phase' || Number.isNaN(pid) || !Number.isNaN(steps[row]!))
      continue;
    const name = recording.text(names[row]!);
    const phases =
      found.get(pid) ?? new Map<string, { fromNs: number; untilNs: number | null }[]>();
    found.set(pid, phases);
    if (name.startsWith('/')) {
      const open = phases.get(name.slice(1))?.findLast(({ untilNs }) => untilNs === null);
      if (open) open.untilNs = times[row]!;
    } else phases.set(name, [...(phases.get(name) ?? []), { fromNs: times[row]!, untilNs: null }]);
  }
  return found;
}
