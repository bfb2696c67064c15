import { count as counted } from '../../base/text.ts';
import type { HeapStat } from '../../model/heap/stat.ts';
import type { Heap } from './heap.ts';
import { membersOf, partitionOf } from './partition.ts';
import { pathsTo } from './paths.ts';
import { type Identities, minusHeap, whyNotComparable } from './relative.ts';
import { retainedSize } from './retained.ts';
import { HEAP_SCHEMA } from './table.ts';

/** Two heaps cannot tell growth from chance: what looked like a leak has fallen back in the third. */
export const FEWEST_HEAPS = 3;
/** Growth over all heaps below this is not worth a line. */
const SMALL_BYTES = 10_000;
/** Growth of the last step that still counts as none, of all growth before it. */
const SETTLED_SHARE = 0.05;

/**
 * What taking heaps and warming up do by themselves: code that was compiled, shapes that were learned,
 * numbers that were boxed, the inspector's own, our own. Listed, never hidden.
 */
const ARTIFACT = [
  /^\((compiled code|object shape|system|number|heap number|code|native|symbol)\)$/,
  /^(V8Inspector|Inspector|Session|system \/)/,
  /^(dict of )?_?highwater\./,
];

export type GrowthVerdict = 'candidate' | 'settled' | 'uneven' | 'artifact';

export interface GrowthRow {
  readonly kind: string;
  readonly verdict: GrowthVerdict;
  readonly counts: readonly number[];
  readonly sizes: readonly number[];
  /** What the verdict rests on, as words. */
  readonly evidence: string;
  /** Of a candidate: objects in the last heap that the first has not; null: ids cannot tell. */
  readonly newObjects: number | null;
  /** Bytes that would go with those, or else with all of the kind; null: the heap was opened light. */
  readonly retained: number | null;
  /** A shortest way to the nearest of them. */
  readonly path: string | null;
}

/** Kinds that grow over three or more heaps of one process. */
export interface HeapGrowth {
  readonly type: 'heap-growth';
  readonly schemaVersion: number;
  readonly heaps: readonly { readonly count: number; readonly size: number }[];
  readonly rows: readonly GrowthRow[];
  /** Kinds that grew by less than is worth a line. */
  readonly small: number;
}

/** `stats` are all heaps in order, by kind; `first` who was there in the first, `last` the last. */
export function growthOf(stats: readonly HeapStat[], first: Identities, last: Heap): HeapGrowth {
  const rows: GrowthRow[] = [];
  let small = 0;
  for (const series of seriesOf(stats)) {
    const grown = series.sizes.at(-1)! - series.sizes[0]!;
    const highest = Math.max(...series.sizes) - series.sizes[0]!;
    if (highest <= 0) continue;
    if (highest < SMALL_BYTES) {
      if (grown > 0) small++;
      continue;
    }
    rows.push({ ...series, ...judge(series), newObjects: null, retained: null, path: null });
  }
  const order: readonly GrowthVerdict[] = ['candidate', 'uneven', 'settled', 'artifact'];
  const grownBy = ({ sizes }: GrowthRow) => sizes.at(-1)! - sizes[0]!;
  rows.sort(
    (a, b) => order.indexOf(a.verdict) - order.indexOf(b.verdict) || grownBy(b) - grownBy(a),
  );
  return {
    type: 'heap-growth',
    schemaVersion: HEAP_SCHEMA,
    heaps: stats.map(({ count, size }) => ({ count, size })),
    rows: withHolders(rows, first, last),
    small,
  };
}

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

/** An ordered list of rules: the first that fits decides, and says on what. */
function judge({ kind, counts, sizes }: Series): { verdict: GrowthVerdict; evidence: string } {
  const steps = sizes.slice(1).map((size, i) => size - sizes[i]!);
  const last = steps.at(-1)!;
  const before = sizes.at(-2)! - sizes[0]!;
  if (ARTIFACT.some((pattern) => pattern.test(kind))) {
    return { verdict: 'artifact', evidence: 'grows by warming up and by taking heaps' };
  }
  if (steps.every((step) => step > 0) && last > SETTLED_SHARE * before) {
    const more = counts.at(-1)! - counts[0]!;
    const what =
      more > 0 ? `${counted(more, 'object')} more` : 'the same number of objects, larger';
    return { verdict: 'candidate', evidence: `grew at each of ${steps.length} steps: ${what}` };
  }
  if (last <= Math.max(0, SETTLED_SHARE * before)) {
    const fell = last < 0 ? 'fell back' : 'did not go on growing';
    return { verdict: 'settled', evidence: `${fell} at the last step` };
  }
  const rising = steps.filter((step) => step > 0).length;
  return {
    verdict: 'uneven',
    evidence: `grew at ${rising} of ${steps.length} steps: take more heaps`,
  };
}

/** For candidates: who holds the objects that are new. */
function withHolders(rows: readonly GrowthRow[], first: Identities, last: Heap): GrowthRow[] {
  if (!rows.some(({ verdict }) => verdict === 'candidate')) return [...rows];
  const kinds = partitionOf(last);
  const comparable = whyNotComparable(last, first) === null;
  const rowOfKind = new Map<string, number>();
  for (let row = 0; row < kinds.rows; row++) rowOfKind.set(kinds.label(row), row);
  return rows.map((row) => {
    const at = rowOfKind.get(row.kind);
    if (row.verdict !== 'candidate' || at === undefined) return row;
    const members = membersOf(kinds, at);
    const fresh = comparable ? minusHeap(last, members, first) : null;
    const looked = fresh && fresh.length > 0 ? fresh : members;
    return {
      ...row,
      newObjects: fresh?.length ?? null,
      retained: last.light ? null : retainedSize(last, looked),
      path: pathsTo(last, looked, { limit: 1 }).paths[0]?.text ?? null,
    };
  });
}
