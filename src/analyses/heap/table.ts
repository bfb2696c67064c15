import type { Way } from './classifier.ts';
import { kindName } from './object-labels.ts';
import type { Partition } from './partition.ts';
import { retainedByRow } from './retained.ts';

export const HEAP_SCHEMA = 1;
/** What one sees at once. */
export const PAGE_ROWS = 10;

export interface TableRow {
  readonly index: number;
  readonly count: number;
  readonly size: number;
  /** Bytes of this row and all before it. */
  readonly cumulative: number;
  readonly kind: string;
  /** Bytes that would go with these objects; null: not asked for. */
  readonly retained: number | null;
}

/** Rows of a partition as plain data. */
export interface HeapTable {
  readonly type: 'heap-partition';
  readonly schemaVersion: number;
  readonly by: Way;
  readonly header: string;
  /** The one kind of all members, `<Foo>`, or `<mixed>`. */
  readonly kindName: string;
  /** Of the whole set, not of the rows shown. */
  readonly count: number;
  readonly size: number;
  readonly numRows: number;
  readonly rows: readonly TableRow[];
}

export interface TableOptions {
  /** First row (default 0). */
  readonly from?: number;
  /** How many (default 10; 11 where that is all there is, as in Heapy). */
  readonly limit?: number;
  readonly retained?: boolean;
}

export function tableOf(partition: Partition, options: TableOptions = {}): HeapTable {
  const { from = 0, retained = false } = options;
  const to = options.limit === undefined ? pageEnd(from, partition.rows) : from + options.limit;
  const held = retained ? retainedByRow(partition, to) : null;
  const rows: TableRow[] = [];
  let cumulative = 0;
  for (let index = 0; index < Math.min(to, partition.rows); index++) {
    const size = partition.sizes[index]!;
    cumulative += size;
    if (index < from) continue;
    const [count, kind] = [partition.counts[index]!, partition.label(index)];
    rows.push({ index, count, size, cumulative, kind, retained: held?.[index] ?? null });
  }
  return {
    type: 'heap-partition',
    schemaVersion: HEAP_SCHEMA,
    by: partition.way,
    header: partition.header,
    kindName: kindName(partition.heap.graph, partition.set),
    count: partition.set.length,
    size: partition.size,
    numRows: partition.rows,
    rows,
  };
}

/** Ten rows, or eleven where the eleventh is the last: a line that says "1 more" takes as much room. */
export function pageEnd(from: number, rows: number): number {
  return rows - from === PAGE_ROWS + 1 ? rows : from + PAGE_ROWS;
}
