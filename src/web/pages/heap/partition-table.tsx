import type { HeapTable } from '../../../analyses/heap/index.ts';
import { formatBytes } from '../../../base/bytes.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { isOneFile } from '../../store.ts';
import { theme } from '../../theme.ts';
import type { PageProps } from '../page.ts';
import { stepTo } from './crumbs.tsx';
import { count } from './words.ts';

type Row = HeapTable['rows'][number];
type Props = PageProps & { readonly table: HeapTable };

const BAR = 120;

/** Objects told apart, the largest first; a row leads into it. */
export function PartitionTable({ table, state, setState }: Props) {
  const wanted = (state.filter ?? '').toLowerCase();
  const rows = table.rows.filter(({ kind }) => kind.toLowerCase().includes(wanted));
  const more = table.numRows - table.rows.length;
  const into = ({ index }: Row) =>
    setState({ ...stepTo(state, `${table.by}:${index}`), by: nextWay(table.by) }, 'push');
  return (
    <section>
      <div class="row">
        <h2>{`${count(table.count, 'object')}, ${formatBytes(table.size)}, in ${count(table.numRows, 'row')}`}</h2>
        <input
          type="search"
          aria-label="Filter rows"
          placeholder="filter by name"
          value={state.filter ?? ''}
          onInput={(event) => setState({ filter: event.currentTarget.value })}
        />
      </div>
      <DataTable
        label="partition"
        columns={columnsFor(table)}
        rows={rows}
        sort={state.sort ?? '-size'}
        onSort={(sort) => setState({ sort })}
        keyOf={({ index }) => String(index)}
        onSelect={isOneFile || table.by === 'id' ? undefined : into}
      />
      {more > 0 && !isOneFile && (
        <button
          type="button"
          onClick={() => setState({ rows: table.rows.length * 5 })}
        >{`${count(more, 'smaller row')} not shown: more`}</button>
      )}
    </section>
  );
}

/** Inside one kind the kind says nothing more. */
const nextWay = (way: HeapTable['by']) => (way === 'kind' || way === 'type' ? 'rcs' : null);

const HEADS: Readonly<Partial<Record<HeapTable['by'], string>>> = {
  kind: 'kind',
  type: 'type',
  module: 'module',
  size: 'bytes of each',
  rcs: 'referred to by',
  id: 'object',
};

function columnsFor({ by, size }: HeapTable): Column<Row>[] {
  const of = (bytes: number) => `${((100 * bytes) / (size || 1)).toFixed(1)} %`;
  return [
    {
      key: 'kind',
      head: HEADS[by] ?? by,
      value: ({ kind }) => kind.trim(),
      cell: ({ kind }) => <bdi class="name">{kind.trim().slice(0, 500)}</bdi>,
    },
    {
      key: 'bar',
      head: '',
      value: () => '',
      cell: ({ size: bytes }) => (
        <svg class="bar" width={BAR} height={12} aria-hidden="true">
          <rect width={(bytes / (size || 1)) * BAR} height={12} fill={theme.value.series[0]} />
        </svg>
      ),
    },
    {
      key: 'count',
      head: 'objects',
      value: (row) => row.count,
      cell: (row) => row.count.toLocaleString('en-US'),
    },
    { key: 'size', head: 'size', value: (row) => row.size, cell: (row) => formatBytes(row.size) },
    {
      key: 'share',
      head: 'share',
      value: (row) => row.size / (size || 1),
      cell: (row) => of(row.size),
    },
    {
      key: 'retained',
      head: 'retained',
      about: 'What would go with these objects; rows overlap',
      value: (row) => row.retained,
      cell: ({ retained }) => (retained === null ? '–' : formatBytes(retained)),
    },
  ];
}
