import type { HeapStat, StatRow } from '../../model/heap/stat.ts';
import type { Partition } from './partition.ts';
import { HEAP_SCHEMA } from './table.ts';

export function statOf(partition: Partition, made: number): HeapStat {
  const rows: StatRow[] = [];
  for (let row = 0; row < partition.rows; row++) {
    const [count, size] = [partition.counts[row]!, partition.sizes[row]!];
    rows.push({ count, size, kind: partition.label(row) });
  }
  return {
    type: 'heap-stat',
    made,
    header: partition.header,
    kindName: '',
    count: partition.set.length,
    size: partition.size,
    rows,
  };
}

/** What changed from B to A, by kind (Heapy's `statA - statB`). */
export interface StatDifference {
  readonly type: 'heap-difference';
  readonly schemaVersion: number;
  readonly header: string;
  readonly a: { readonly count: number; readonly size: number };
  readonly b: { readonly count: number; readonly size: number };
  /** The largest change first, whether up or down. */
  readonly rows: readonly StatRow[];
}

export function statDifference(a: HeapStat, b: HeapStat): StatDifference {
  const changes = new Map<string, { count: number; size: number }>();
  const add = (rows: readonly StatRow[], sign: 1 | -1) => {
    for (const { kind, count, size } of rows) {
      const change = changes.get(kind) ?? { count: 0, size: 0 };
      change.count += sign * count;
      change.size += sign * size;
      changes.set(kind, change);
    }
  };
  add(a.rows, 1);
  add(b.rows, -1);
  const rows = [...changes]
    .filter(([, change]) => change.count !== 0 || change.size !== 0)
    .map(([kind, change]) => ({ ...change, kind }))
    .sort((one, two) => Math.abs(two.size) - Math.abs(one.size) || (one.kind < two.kind ? -1 : 1));
  const { count, size } = b;
  return {
    type: 'heap-difference',
    schemaVersion: HEAP_SCHEMA,
    header: a.header,
    a: { count: a.count, size: a.size },
    b: { count, size },
    rows,
  };
}
