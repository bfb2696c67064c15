import type { RankHolding } from '../../../analyses/ranks/holdings.ts';
import { formatBytes, formatDelta } from '../../../base/bytes.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';

const COLUMNS: readonly Column<RankHolding>[] = [
  {
    key: 'what',
    head: 'what',
    value: ({ what }) => what,
    cell: ({ what }) => <bdi class="name">{what}</bdi>,
  },
  {
    key: 'bytes',
    head: 'it holds',
    value: ({ bytes }) => bytes,
    cell: ({ bytes }) => formatBytes(bytes),
  },
  {
    key: 'median',
    head: 'median of the others',
    value: (one) => one.medianBytes,
    cell: (one) => formatBytes(one.medianBytes),
  },
  {
    key: 'more',
    head: 'more',
    value: (one) => one.bytes - one.medianBytes,
    cell: (one) => formatDelta(one.bytes - one.medianBytes),
  },
];

/** What a rank holds more of than the others do. */
export function HoldingTable({ rank, more }: { rank: number; more: readonly RankHolding[] }) {
  return (
    <section>
      <h2>{`What rank ${rank} holds more of`}</h2>
      {more.length === 0 ? (
        <p class="muted">
          Nothing that it told of is at least 8 MiB more than the median of the others.
        </p>
      ) : (
        <DataTable
          label={`holdings of rank ${rank}`}
          columns={COLUMNS}
          rows={more}
          keyOf={({ what }) => what}
        />
      )}
    </section>
  );
}
