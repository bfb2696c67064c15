import type { StatDifference } from '../../../analyses/heap/index.ts';
import { formatBytes, formatDelta } from '../../../base/bytes.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import type { PageProps } from '../page.ts';
import { count } from './words.ts';

type Row = StatDifference['rows'][number];

const COLUMNS: readonly Column<Row>[] = [
  {
    key: 'kind',
    head: 'kind',
    value: ({ kind }) => kind.trim(),
    cell: ({ kind }) => <bdi class="name">{kind.trim()}</bdi>,
  },
  {
    key: 'count',
    head: 'objects',
    value: (row) => row.count,
    cell: (row) => `${row.count < 0 ? '−' : '+'}${Math.abs(row.count).toLocaleString('en-US')}`,
  },
  {
    key: 'size',
    head: 'size',
    value: (row) => row.size,
    cell: (row) => (row.size === 0 ? '0 B' : formatDelta(row.size)),
  },
];

/** What one heap has more of than another, by kind. */
export function HeapDifference({
  difference,
  state,
  setState,
}: PageProps & { difference: StatDifference }) {
  const { a, b, rows } = difference;
  const change = a.size === b.size ? 'as large as' : `${formatDelta(a.size - b.size)} against`;
  return (
    <section>
      <h2>{`${formatBytes(a.size)} in ${count(a.count, 'object')}, ${change} ${formatBytes(b.size)} in ${count(b.count, 'object')}`}</h2>
      <DataTable
        label="difference"
        columns={COLUMNS}
        rows={rows}
        sort={state.sort}
        onSort={(sort) => setState({ sort })}
        keyOf={({ kind }) => kind}
      />
    </section>
  );
}
