import type { HeapHolders } from '../../../analyses/heap/index.ts';
import { formatBytes } from '../../../base/bytes.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';

type Row = HeapHolders['rows'][number];

const COLUMNS: readonly Column<Row>[] = [
  {
    key: 'object',
    head: 'object',
    value: ({ brief }) => brief,
    cell: ({ brief }) => <bdi class="name">{brief}</bdi>,
  },
  {
    key: 'size',
    head: 'its own size',
    value: ({ size }) => size,
    cell: ({ size }) => formatBytes(size),
  },
  {
    key: 'retained',
    head: 'retained',
    value: ({ retained }) => retained,
    cell: ({ retained }) => formatBytes(retained),
  },
  {
    key: 'path',
    head: 'a shortest path to it',
    value: ({ path }) => path,
    cell: ({ path }) => <bdi class="name code">{path ?? 'no root leads there'}</bdi>,
  },
];

/** Single objects that keep most alive. */
export function HolderTable({ holders }: { holders: HeapHolders }) {
  return (
    <section>
      <h2>Objects that keep most alive</h2>
      <DataTable
        label="holders"
        columns={COLUMNS}
        rows={holders.rows}
        keyOf={({ index }) => String(index)}
      />
    </section>
  );
}
