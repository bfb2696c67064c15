import { ENGINE, hostOf } from '../../../model/heap/anatomy.ts';
import type { NodeSet } from '../../../model/heap/node-set.ts';
import type { HeapStat } from '../../../model/heap/stat.ts';
import type { Heap } from '../heap.ts';
import { membersOf, type Partition, partitionOf } from '../partition.ts';
import { pathsTo } from '../paths.ts';
import { retainedSize } from '../retained.ts';
import { holdersOfTops } from './holders.ts';
import type { Look } from './look.ts';
import { type GrowthVerdict, type Judgement, judge, OURS, SMALL_BYTES } from './verdict.ts';

/** A kind over several heaps. */
export interface GrowthRow extends Judgement {
  readonly kind: string;
  readonly counts: readonly number[];
  readonly sizes: readonly number[];
  /** Of a candidate: objects in the last heap that the first has not; null: ids cannot tell. */
  readonly newObjects: number | null;
  /**
   * Bytes that would go with those or, where ids cannot tell, with all of the kind. null: the heap was opened light, or
   * none is new: those that were there became larger.
   */
  readonly retained: number | null;
  /** Where most of them are; null: nobody knows, or none is new. */
  readonly path: string | null;
}

/** The kinds that grew, those whose new objects hold most first. */
export function grownKinds(
  stats: readonly HeapStat[],
  last: Heap,
  look: Look | null,
): { rows: GrowthRow[]; small: number } {
  const rows: GrowthRow[] = [];
  let small = 0;
  const looks = new KindLooks(last, look);
  for (const series of seriesOf(stats)) {
    const grown = series.sizes.at(-1)! - series.sizes[0]!;
    const highest = Math.max(...series.sizes) - series.sizes[0]!;
    if (highest <= 0) continue;
    if (highest < SMALL_BYTES) {
      if (grown > 0) small++;
      continue;
    }
    rows.push(looks.at(series));
  }
  const order: readonly GrowthVerdict[] = ['candidate', 'uneven', 'settled', 'artifact'];
  rows.sort((a, b) => order.indexOf(a.verdict) - order.indexOf(b.verdict) || weight(b) - weight(a));
  return { rows, small };
}

/** What is more than in the first heap: with all that new objects hold, where they are known. */
const weight = ({ sizes, newObjects, retained }: GrowthRow): number =>
  newObjects !== null && retained !== null ? retained : sizes.at(-1)! - sizes[0]!;

interface Series {
  readonly kind: string;
  readonly counts: readonly number[];
  readonly sizes: readonly number[];
}

function* seriesOf(stats: readonly HeapStat[]): Generator<Series> {
  const kinds = new Map<string, { counts: number[]; sizes: number[] }>();
  stats.forEach(({ rows }, at) => {
    for (const { kind, count, size } of rows) {
      let series = kinds.get(kind);
      if (!series) {
        series = { counts: stats.map(() => 0), sizes: stats.map(() => 0) };
        kinds.set(kind, series);
      }
      series.counts[at]! += count;
      series.sizes[at]! += size;
    }
  });
  for (const [kind, series] of kinds) yield { kind, ...series };
}

/** What the last heap tells of a kind. */
class KindLooks {
  readonly #last: Heap;
  readonly #look: Look | null;
  readonly #kinds: Partition;
  readonly #rows = new Map<string, number>();

  constructor(last: Heap, look: Look | null) {
    this.#last = last;
    this.#look = look;
    this.#kinds = partitionOf(last);
    for (let row = 0; row < this.#kinds.rows; row++) this.#rows.set(this.#kinds.label(row), row);
  }

  at(series: Series): GrowthRow {
    const row = this.#rows.get(series.kind);
    const members = row === undefined ? null : membersOf(this.#kinds, row);
    const judged = this.#artifact(members) ?? judge(series.sizes);
    const shown = { ...series, ...judged, newObjects: null, retained: null, path: null };
    if (members === null || judged.verdict !== 'candidate') return shown;
    return { ...shown, ...this.#held(members) };
  }

  /** What the runtime makes for itself, by what it says of the objects; and what only Highwater holds. */
  #artifact(members: NodeSet | null): Judgement | null {
    if (members === null || members.length === 0) return null;
    const { part } = this.#look?.last.anatomy() ?? {};
    if (part && members.every((node) => part[node] === ENGINE))
      return { verdict: 'artifact', evidence: 'made by the runtime for itself' };
    const own = this.#look?.own;
    const fresh = own ? this.#fresh(members) : null;
    const ours = fresh?.length && fresh.every((node) => own![node] === 1);
    return ours ? { verdict: 'artifact', evidence: OURS } : null;
  }

  /** A part of an object, as its dict, is as new as the object. */
  #fresh(members: NodeSet): NodeSet {
    if (!this.#look) return members;
    const { change, last } = this.#look;
    const anatomy = last.anatomy();
    return members.filter((node) => {
      const host = hostOf(anatomy, node);
      return host >= change.same.length || change.same[host] === 0;
    });
  }

  #held(members: NodeSet): Pick<GrowthRow, 'newObjects' | 'retained' | 'path'> {
    const last = this.#last;
    const fresh = this.#look ? this.#fresh(members) : null;
    if (fresh?.length === 0) return { newObjects: 0, retained: null, path: null };
    const looked = fresh ?? members;
    const nearest = () => pathsTo(last, looked, { limit: 1 }).paths[0]?.text ?? null;
    return {
      newObjects: fresh?.length ?? null,
      retained: last.light ? null : retainedSize(last, looked),
      path: this.#look ? (holdersOfTops(this.#look, [...looked])[0]?.place ?? null) : nearest(),
    };
  }
}
