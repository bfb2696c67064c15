import type { GrowthRow, StatDifference } from '../../../analyses/heap/index.ts';
import type { HeapView } from '../../../analyses/heap/view.ts';
import { formatBytes, formatDelta } from '../../../base/bytes.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { isOneFile } from '../../store.ts';
import type { PageProps } from '../page.ts';
import { GrownPlaces } from './grown-places.tsx';
import { count } from './words.ts';

type Change = StatDifference['rows'][number];
/** A kind that changed, with what the later heap tells of it where it grew. */
type Row = Change & { readonly grown: GrowthRow | undefined };

interface Props extends PageProps {
  readonly view: HeapView;
  readonly difference: NonNullable<HeapView['difference']>;
}

/** What the later heap has more of than the earlier one: where in the program, then by kind. */
export function HeapDifference(props: Props) {
  const { view, difference, state, setState } = props;
  const { a, b, rows, kinds, containers, notMatched } = difference;
  const by = state.by ?? 'kind';
  const change = a.size === b.size ? 'as large as' : `${formatDelta(a.size - b.size)} against`;
  const grown = new Map(by === 'kind' ? kinds.map((row) => [row.kind, row]) : []);
  const changes = rows.map((row): Row => ({ ...row, grown: grown.get(row.kind) }));
  const matched = notMatched === null;
  const into = ({ kind }: Row) =>
    setState(
      {
        ...{ show: 'partition', heap: view.heap, other: null, sort: null, rows: null },
        ...{ at: `without:${view.other}`, filter: kind.trim() },
      },
      'push',
    );
  return (
    <>
      {containers === null ? (
        <p class="muted">{`Who holds more is not known: ${notMatched}.`}</p>
      ) : (
        <GrownPlaces containers={containers} state={state} setState={setState} />
      )}
      <section>
        <h2>{`By ${by}: ${formatBytes(a.size)} in ${count(a.count, 'object')}, ${change} ${formatBytes(b.size)} in ${count(b.count, 'object')}`}</h2>
        <DataTable
          label="difference"
          columns={columnsFor(by, matched, grown.size > 0)}
          rows={changes}
          sort={state.sort ?? (grown.size > 0 ? '-retained' : '-size')}
          onSort={(sort) => setState({ sort })}
          keyOf={({ kind }) => kind}
          onSelect={isOneFile || !matched || by !== 'kind' ? undefined : into}
        />
      </section>
    </>
  );
}

function columnsFor(by: string, matched: boolean, held: boolean): Column<Row>[] {
  const all: (Column<Row> & { readonly when?: boolean })[] = [
    {
      key: 'kind',
      head: by,
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
    {
      key: 'retained',
      head: matched ? 'held by the new ones' : 'held by all of them',
      about: matched
        ? 'Bytes that would go with the objects that the earlier heap has not; rows overlap.'
        : 'Bytes that would go with all objects of the kind; rows overlap.',
      value: ({ grown }) => grown?.retained ?? null,
      cell: ({ grown }) =>
        grown?.retained == null ? '–' : (matched ? formatDelta : formatBytes)(grown.retained),
      when: held,
    },
    {
      key: 'path',
      head: 'most at',
      value: ({ grown }) => grown?.path ?? null,
      cell: ({ grown }) => (grown?.path ? <bdi class="name code">{grown.path}</bdi> : '–'),
      when: held,
    },
  ];
  return all.filter(({ when }) => when !== false);
}
