import type { Comparison, Difference } from '../../../analyses/compare/index.ts';
import { formatMiB } from '../../../base/bytes.ts';
import { formatDuration } from '../../../base/time.ts';
import { formatTimes } from '../../../views/compare/comparison.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import type { PageProps } from '../page.ts';

type Props = PageProps & { readonly comparison: Comparison };

const signed = (bytes: number) => (bytes > 0 ? `+${formatMiB(bytes)}` : formatMiB(bytes));
const nameOf = ({ a, b }: Difference) => `${b} − ${a}`;

const COLUMNS: readonly Column<Difference>[] = [
  {
    key: 'pair',
    head: 'difference',
    value: nameOf,
    cell: (pair) => <bdi class="name">{nameOf(pair)}</bdi>,
  },
  {
    key: 'peak',
    head: 'peak',
    value: (pair) => pair.peakBytes,
    cell: (pair) => signed(pair.peakBytes),
  },
  {
    key: 'above',
    head: 'above baseline',
    value: (pair) => pair.peakAboveBaselineBytes,
    cell: (pair) => signed(pair.peakAboveBaselineBytes),
  },
  {
    key: 'ratio',
    head: 'ratio of peaks',
    value: (pair) => pair.peakRatio,
    cell: ({ peakRatio }) => (peakRatio === null ? '–' : formatTimes(peakRatio)),
  },
  {
    key: 'duration',
    head: 'duration',
    value: (pair) => pair.durationSeconds,
    cell: ({ durationSeconds: seconds }) => `${seconds < 0 ? '' : '+'}${formatDuration(seconds)}`,
  },
];

/** Every pair once, or each run against the chosen one. */
export function DifferenceTable({ comparison, state, setState }: Props) {
  const { differences } = comparison;
  if (differences.length === 0) return null;
  return (
    <section>
      <h2>Differences</h2>
      <DataTable
        label="differences"
        columns={COLUMNS}
        rows={differences}
        sort={state.dsort}
        onSort={(dsort) => setState({ dsort })}
        keyOf={nameOf}
      />
    </section>
  );
}
