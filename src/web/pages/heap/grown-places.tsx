import type { ContainerGrowth } from '../../../analyses/heap/index.ts';
import { formatBytes, formatDelta } from '../../../base/bytes.ts';
import { entriesWords, freshWords, holderWords } from '../../../views/heap/places.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import type { PageProps } from '../page.ts';

const COLUMNS: readonly Column<ContainerGrowth>[] = [
  {
    key: 'place',
    head: 'held by',
    value: ({ place }) => place,
    cell: ({ place, kind, containers }) => (
      <>
        <bdi class="name code">{place}</bdi>
        {kind !== null && (
          <span class="muted name">{` ${containers === 1 ? '' : `${containers} × `}${kind}`}</span>
        )}
      </>
    ),
  },
  {
    key: 'grown',
    head: 'grew by',
    about: 'Bytes more than in the earlier heap, with all that only it holds.',
    value: ({ grown }) => grown,
    cell: ({ grown }) => formatDelta(grown),
  },
  {
    key: 'retained',
    head: 'keeps alive',
    figure: true,
    value: ({ retained }) => retained?.at(-1) ?? null,
    cell: ({ retained }) =>
      retained === null ? '–' : retained.map((bytes) => formatBytes(bytes)).join(' → '),
  },
  {
    key: 'entries',
    head: 'entries',
    figure: true,
    value: ({ entries }) => (entries === null ? null : entries.at(-1)! - entries[0]!),
    cell: (row) => entriesWords(row) || '–',
  },
  {
    key: 'new',
    head: 'new in it',
    value: freshWords,
    cell: (row) => <bdi class="name">{freshWords(row) || '–'}</bdi>,
  },
  {
    key: 'others',
    head: 'who else refers to these',
    value: holderWords,
    cell: (row) => <bdi class="name">{holderWords(row) || 'nobody'}</bdi>,
  },
];

type Props = Pick<PageProps, 'state' | 'setState'> & {
  readonly containers: readonly ContainerGrowth[];
};

/** The places of a program that hold more than they did, the one that grew most first. */
export function GrownPlaces({ containers, state, setState }: Props) {
  return (
    <section>
      <h2>What grew, with all that only it holds</h2>
      {containers.length === 0 ? (
        <p class="muted">No place holds 10 kB more than it did.</p>
      ) : (
        <DataTable
          label="grown places"
          columns={COLUMNS}
          rows={containers}
          sort={state.gsort}
          onSort={(gsort) => setState({ gsort })}
          keyOf={({ place, kind, verdict }) => `${place} ${kind} ${verdict}`}
        />
      )}
    </section>
  );
}
