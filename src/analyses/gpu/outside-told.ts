import { lastUpTo } from '../../base/search.ts';
import { SECOND_NS } from '../../base/time.ts';
import type { Recording } from '../../model/recording.ts';

/** What takes memory outside torch's allocator in one go, and is told apart. */
export const TAKERS = ['context', 'nccl', 'graphs'] as const;
export type Taker = (typeof TAKERS)[number];

/** A figure with the moment at which it was told. */
export interface Told {
  readonly ns: number;
  readonly bytes: number;
}

/** What came outside torch in a process beside what is told apart, by the line that ran. */
export interface OutsideGrowth {
  readonly pid: number;
  readonly bytes: number;
  /** When the first of it came. */
  readonly seconds: number;
  /** `serve.py:88`; empty where no line of the program itself ran. */
  readonly place: string;
  readonly function: string;
}

interface Readings {
  readonly times: number[];
  readonly values: number[];
}

const NAME = /^outside(\d+)\.(held|context|nccl|graphs|grown)$/;

/** What processes told of their memory outside torch, by process, device (in the words of torch) and what it is. */
export class OutsideByProcess {
  readonly #recording: Recording;
  readonly #zero: number;
  readonly #found = new Map<string, Readings>();

  constructor(recording: Recording, zero: number) {
    this.#recording = recording;
    this.#zero = zero;
    const table = recording.table('counters');
    const [times, pids] = [table.f64('time'), table.u32('pid')];
    const [names, values] = [table.u32('name'), table.f64('value')];
    const wanted = new Map<number, string>();
    for (const id of new Set(names)) {
      const match = NAME.exec(recording.text(id));
      if (match) wanted.set(id, `${match[1]} ${match[2]}`);
    }
    for (let row = 0; row < table.rows; row++) {
      const name = wanted.get(names[row]!);
      if (name === undefined) continue;
      const key = `${pids[row]} ${name}`;
      const told = this.#found.get(key) ?? { times: [], values: [] };
      this.#found.set(key, told);
      // Two threads of a process may tell out of turn.
      if (told.times.length > 0 && told.times.at(-1)! > times[row]!) continue;
      told.times.push(times[row]!);
      told.values.push(values[row]!);
    }
  }

  /** All that was outside, at each moment at which the process read both figures itself. */
  held(pid: number, device: number): Told[] {
    const { times, values } = this.#of(pid, device, 'held');
    return times.map((ns, i) => ({ ns, bytes: values[i]! }));
  }

  /** What one of them had by a moment; null: not told until then. */
  taken(pid: number, device: number, what: Taker, ns: number): Told | null {
    const { times, values } = this.#of(pid, device, what);
    const row = lastUpTo(times, ns);
    return row < 0 ? null : { ns: times[row]!, bytes: values[row]! };
  }

  /** What came besides until a moment, the largest first. */
  grown(pid: number, device: number, until: number): OutsideGrowth[] {
    const { times, values } = this.#of(pid, device, 'grown');
    const lines = this.#lines(pid, `outside${device}`);
    const found = new Map<string, { -readonly [key in keyof OutsideGrowth]: OutsideGrowth[key] }>();
    for (const [i, ns] of times.entries()) {
      if (ns > until) continue;
      const [place, name] = lines.get(ns) ?? ['', ''];
      const known = found.get(`${place} ${name}`);
      if (known) known.bytes += values[i]!;
      else {
        const seconds = (ns - this.#zero) / SECOND_NS;
        found.set(`${place} ${name}`, { pid, bytes: values[i]!, seconds, place, function: name });
      }
    }
    return [...found.values()].sort((a, b) => b.bytes - a.bytes);
  }

  #of(pid: number, device: number, what: string): Readings {
    return this.#found.get(`${pid} ${device} ${what}`) ?? { times: [], values: [] };
  }

  /** Place and function by the moment at which they were told. */
  #lines(pid: number, of: string): Map<number, [place: string, name: string]> {
    const table = this.#recording.table('moments');
    const [times, pids, what] = [table.f64('time'), table.u32('pid'), table.u32('of')];
    const [places, functions] = [table.u32('place'), table.u32('function')];
    const text = (id: number) => this.#recording.text(id);
    const rows = [...times.keys()].filter((row) => pids[row] === pid && text(what[row]!) === of);
    return new Map(rows.map((row) => [times[row]!, [text(places[row]!), text(functions[row]!)]]));
  }
}
