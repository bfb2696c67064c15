import type { Table } from '../../model/table.ts';
import type { KnownProcess } from './known-processes.ts';

/** What rows are summed by: a process, or the name of a role. */
export type TallyKey = KnownProcess | string;

/** What was seen of one key over the recording. NaN: never measured. */
export interface TallyEntry {
  peakRss: number;
  peakNs: number;
  hwm: number;
  rssAtPeak: number;
  pssAtPeak: number;
  firstNs: number;
  lastNs: number;
  /** The sample being summed up, and its sum so far. */
  sampleNs: number;
  sampleRss: number;
}

/** Sums the rows of each sample by key and keeps the extremes, in one pass over the table. */
export class ProcessTally {
  readonly #held = new Map<TallyKey, TallyEntry>();
  readonly #peakNs: number | null;
  readonly #keyOf: (pid: number, ns: number) => TallyKey;

  constructor(peakNs: number | null, keyOf: (pid: number, ns: number) => TallyKey) {
    this.#peakNs = peakNs;
    this.#keyOf = keyOf;
  }

  of(key: TallyKey): TallyEntry | undefined {
    return this.#held.get(key);
  }

  addAll(table: Table): void {
    const times = table.f64('time');
    const pids = table.u32('pid');
    const rss = table.f64('rss');
    const pss = table.f64('pss');
    const hwm = table.f64('hwm');
    for (let row = 0; row < table.rows; row++) {
      const ns = times[row]!;
      const held = this.#entry(this.#keyOf(pids[row]!, ns), ns);
      if (held.sampleNs !== ns) {
        held.sampleNs = ns;
        held.sampleRss = Number.NaN;
      }
      held.lastNs = ns;
      held.sampleRss = plus(held.sampleRss, rss[row]!);
      if (!(held.sampleRss <= held.peakRss) && !Number.isNaN(held.sampleRss)) {
        held.peakRss = held.sampleRss;
        held.peakNs = ns;
      }
      if (!(hwm[row]! <= held.hwm) && !Number.isNaN(hwm[row]!)) held.hwm = hwm[row]!;
      if (ns === this.#peakNs) {
        held.rssAtPeak = plus(held.rssAtPeak, rss[row]!);
        held.pssAtPeak = plus(held.pssAtPeak, pss[row]!);
      }
    }
  }

  #entry(key: TallyKey, ns: number): TallyEntry {
    let held = this.#held.get(key);
    if (!held) {
      const none = Number.NaN;
      held = {
        peakRss: none,
        peakNs: none,
        hwm: none,
        rssAtPeak: none,
        pssAtPeak: none,
        firstNs: ns,
        lastNs: ns,
        sampleNs: none,
        sampleRss: none,
      };
      this.#held.set(key, held);
    }
    return held;
  }
}

/** A null adds nothing; two nulls stay null. */
function plus(a: number, b: number): number {
  if (Number.isNaN(a)) return b;
  return Number.isNaN(b) ? a : a + b;
}
