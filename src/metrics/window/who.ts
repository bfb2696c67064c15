import { ranksAmong } from '../../model/ranks.ts';
import type { Table } from '../../model/table.ts';

/** Who is who so far: the processes of a run, their ranks and ends, and the texts behind ids. */
export class Who {
  readonly #texts = new Map<number, string>();
  readonly #parentOf = new Map<number, number>();
  readonly #launched = new Map<number, number>();
  readonly #reported = new Map<number, number>();
  /** NaN while it lives. */
  readonly #ends = new Map<number, number>();
  #ranks: ReadonlyMap<number, number> | null = null;

  addTexts(strings: Table): void {
    const [ids, values] = [strings.u32('id'), strings.utf8('value')];
    for (const [row, id] of ids.entries()) this.#texts.set(id, values[row]!);
  }

  addProcesses(processes: Table): void {
    const [pids, parents] = [processes.u32('pid'), processes.u32('ppid')];
    const [ranks, ends] = [processes.f64('rank'), processes.f64('last_seen')];
    for (const [row, pid] of pids.entries()) {
      this.#parentOf.set(pid, parents[row]!);
      this.#ends.set(pid, ends[row]!);
      if (!Number.isNaN(ranks[row]!)) this.#launched.set(pid, ranks[row]!);
    }
    this.#ranks = null;
  }

  /** An agent in the process said so. */
  reportRank(pid: number, rank: number): void {
    if (Number.isNaN(rank) || this.#reported.get(pid) === rank) return;
    this.#reported.set(pid, rank);
    this.#ranks = null;
  }

  text(id: number): string {
    return this.#texts.get(id) ?? '';
  }

  /** Whether anybody has a rank. */
  get hasRanks(): boolean {
    return this.#launched.size + this.#reported.size > 0;
  }

  rankOf(pid: number): number | undefined {
    this.#ranks ??= ranksAmong(this.#parentOf, this.#launched, this.#reported);
    return this.#ranks.get(pid);
  }

  isMember(pid: number): boolean {
    return this.#parentOf.has(pid);
  }

  hasEnded(pid: number, before: number): boolean {
    return this.#ends.get(pid)! < before;
  }
}
