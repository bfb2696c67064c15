import type { RankFacts, Ranks } from '../../../analyses/ranks/index.ts';
import { formatDuration } from '../../../base/time.ts';
import { bytesOr, NONE } from '../../../views/table.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import type { PageProps } from '../page.ts';

interface Props extends Pick<PageProps, 'state' | 'setState'> {
  readonly facts: Omit<Ranks, 'type'>;
  readonly chosen: number;
}

/** Every rank, as `report --json` has them. */
export function RankTable({ facts, chosen, state, setState }: Props) {
  return (
    <section>
      <h2>Ranks</h2>
      <DataTable
        label="ranks"
        columns={columnsFor(facts)}
        rows={facts.ranks}
        sort={state.sort ?? 'rank'}
        onSort={(sort) => setState({ sort })}
        keyOf={({ rank }) => String(rank)}
        selected={String(chosen)}
        onSelect={({ rank }) => setState({ rank })}
      />
    </section>
  );
}

function columnsFor({ measure, ranks }: Omit<Ranks, 'type'>): Column<RankFacts>[] {
  const torch: Column<RankFacts> = {
    key: 'torch',
    head: 'torch, at most',
    value: (one) => one.torchBytes,
    cell: (one) => bytesOr(one.torchBytes),
  };
  return [
    { key: 'rank', head: 'rank', value: (one) => one.rank },
    {
      key: 'peak',
      head: measure === 'pss' ? 'peak PSS' : 'peak RSS',
      value: (one) => one.peakBytes,
      cell: (one) => bytesOr(one.peakBytes),
    },
    {
      key: 'at',
      head: 'at',
      value: (one) => one.peakSeconds,
      cell: ({ peakSeconds }) => (peakSeconds === null ? NONE : formatDuration(peakSeconds)),
    },
    {
      key: 'times',
      head: 'of the median',
      value: (one) => one.timesMedian,
      cell: ({ timesMedian }) => (timesMedian === null ? NONE : `${timesMedian.toFixed(2)} ×`),
    },
    ...(ranks.some(({ torchBytes }) => torchBytes !== null) ? [torch] : []),
    { key: 'processes', head: 'processes', value: (one) => one.processes },
  ];
}
