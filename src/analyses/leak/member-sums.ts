import type { Iterations } from '../../model/iterations.ts';
import type { Series } from '../../model/series.ts';

/** Sizes of one process in one sample; NaN where it was not read. */
export interface ProcessSizes {
  readonly rss: number;
  readonly pss: number;
  readonly held: number;
  readonly file: number;
}

const SIZES = ['rss', 'pss', 'held', 'file'] as const;

/** What several processes had together at each sample. */
export class MemberSums {
  most = 0;
  readonly #times: number[] = [];
  readonly #count: number[] = [];
  readonly #sums: Record<keyof ProcessSizes, number[]> = { rss: [], pss: [], held: [], file: [] };

  add(time: number, sizes: ProcessSizes): void {
    let at = this.#times.length - 1;
    if (at < 0 || this.#times[at] !== time) {
      this.#times.push(time);
      this.#count.push(0);
      for (const what of SIZES) this.#sums[what].push(0);
      at++;
    }
    for (const what of SIZES) this.#sums[what][at]! += sizes[what];
    this.#count[at]!++;
    this.most = Math.max(this.most, this.#sums.rss[at]!);
  }

  /**
   * The most frequent number of processes, and in which share of the samples there were so many. Where there are
   * iterations it is that during them: a program may load alone for an hour and then work with eight.
   */
  usualMembers({ times }: Iterations): { members: number; share: number } {
    const [first, last] = [times[0], times.at(-1)];
    const during =
      first === undefined
        ? []
        : this.#count.filter((_, i) => this.#times[i]! >= first && this.#times[i]! <= last!);
    const counts = during.length >= FEWEST_SAMPLES ? during : this.#count;
    const seen = new Map<number, number>();
    for (const count of counts) seen.set(count, (seen.get(count) ?? 0) + 1);
    let members = 0;
    for (const [count, samples] of seen) if (samples > (seen.get(members) ?? 0)) members = count;
    return { members, share: (seen.get(members) ?? 0) / Math.max(1, counts.length) };
  }

  /** Only samples with so many processes: one that comes or goes is no growth. */
  series(what: keyof ProcessSizes, name: string, members: number): Series {
    const values = this.#sums[what];
    const rows = [...values.keys()].filter(
      (row) => this.#count[row] === members && !Number.isNaN(values[row]!),
    );
    return {
      name,
      times: Float64Array.from(rows, (row) => this.#times[row]!),
      values: Float64Array.from(rows, (row) => values[row]!),
    };
  }
}

const FEWEST_SAMPLES = 30;
