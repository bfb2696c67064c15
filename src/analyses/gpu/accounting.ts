import type { Series } from '../../model/series.ts';
import { type Holders, levelAt } from './holders.ts';
import type { TreeProcess } from './processes-by-pid.ts';

/** A process on a card. */
export interface GpuProcess {
  readonly pid: number;
  /** Of the recorded tree; null where the driver's process ids cannot be matched with ours. */
  readonly ofTree: boolean | null;
  readonly role: string | null;
  readonly rank: number | null;
  /** null: the driver does not tell. */
  readonly bytes: number | null;
  /** Of these, what torch's allocator had reserved then; null: it did not tell. */
  readonly torchBytes: number | null;
}

/** Where a card's memory was at one moment: used = tree + others + unexplained; reserved is apart. */
export interface CardAccounting {
  /** When the processes were listed, and what the card held then. */
  readonly listedNs: number;
  readonly listedUsed: number;
  readonly treeBytes: number | null;
  readonly otherBytes: number | null;
  /** Kept by the driver, not part of what is used; null: the driver does not tell it apart. */
  readonly reservedBytes: number | null;
  /** What no listed process holds; negative where they add up to more than the card holds. */
  readonly unexplainedBytes: number;
  /** The largest first, those of the tree before others. */
  readonly processes: readonly GpuProcess[];
}

/** What a card held at the moment that is accounted for. */
export interface CardPeak {
  readonly gpu: number;
  readonly ns: number;
  readonly used: number;
  readonly reserved: number;
  /** The card's memory over time. */
  readonly series: Series;
}

/** null where the driver gave no list of that card. `matched`: its process ids are ours. */
export function account(
  peak: CardPeak,
  holders: Holders,
  tree: ReadonlyMap<number, TreeProcess>,
  matched: boolean,
  reservedBy: (pid: number, ns: number) => number | null,
): CardAccounting | null {
  const round = holders.around(peak.gpu, peak.ns, peak.series);
  if (!round?.held) return null;
  const processes = [...round.held].map(([pid, bytes]): GpuProcess => {
    const process = matched ? tree.get(pid) : undefined;
    return {
      pid,
      ofTree: matched ? process !== undefined : null,
      role: process?.role ?? null,
      rank: process?.rank ?? null,
      bytes: Number.isNaN(bytes) ? null : bytes,
      torchBytes: process ? reservedBy(pid, round.ns) : null,
    };
  });
  const sum = (some: readonly GpuProcess[]) =>
    some.reduce((all, { bytes }) => all + (bytes ?? 0), 0);
  const knownSum = (some: readonly GpuProcess[]) =>
    matched && (some.length === 0 || some.some(({ bytes }) => bytes !== null)) ? sum(some) : null;
  return {
    listedNs: round.ns,
    listedUsed: levelAt(peak.series, round.ns),
    treeBytes: knownSum(processes.filter(({ ofTree }) => ofTree)),
    otherBytes: knownSum(processes.filter(({ ofTree }) => !ofTree)),
    reservedBytes: Number.isNaN(peak.reserved) ? null : peak.reserved,
    unexplainedBytes: peak.used - sum(processes),
    processes: processes.sort(
      (a, b) => Number(b.ofTree) - Number(a.ofTree) || (b.bytes ?? 0) - (a.bytes ?? 0),
    ),
  };
}
