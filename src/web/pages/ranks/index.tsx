import '../tables.css';
import type { Outlier } from '../../../analyses/ranks/index.ts';
import type { PackedRanks } from '../../../analyses/ranks/timelines.ts';
import type { Columns } from '../../../model/columns.ts';
import { outlierWords } from '../../../views/report/ranks.ts';
import { useResource } from '../../parts/resource.ts';
import { Awaited } from '../../parts/waiting.tsx';
import type { PageProps } from '../page.ts';
import { HoldingTable } from './holding-table.tsx';
import { RankGrid } from './rank-grid.tsx';
import { RankTable } from './rank-table.tsx';
import { WhatToDo } from './what-to-do.tsx';

const WORDS: Readonly<Record<Outlier['measure'], string>> = {
  memory: 'memory of its processes',
  torch: "torch's memory on devices",
  malloc: 'memory that malloc handed out',
};

/** The ranks of a job side by side, the one that stands out first. */
export default function RanksPage(props: PageProps) {
  const { run, state } = props;
  const fetched = useResource<Columns<PackedRanks>>(`run/${run.id}/ranks`, {
    measure: state.measure,
  });
  return (
    <Awaited what="ranks" fetched={fetched}>
      {(data) => <SideBySide {...props} data={data} />}
    </Awaited>
  );
}

function SideBySide(props: PageProps & { data: Columns<PackedRanks> }) {
  const { data, state, setState } = props;
  const { facts, measure, measures, more } = data.header;
  const { outlier, ranks } = facts;
  const order = ranks
    .toSorted((a, b) => (b.peakBytes ?? 0) - (a.peakBytes ?? 0) || a.rank - b.rank)
    .toSorted((a, b) => Number(b.rank === outlier?.rank) - Number(a.rank === outlier?.rank))
    .map(({ rank }) => rank);
  const chosen = ranks.some(({ rank }) => String(rank) === state.rank)
    ? Number(state.rank)
    : order[0]!;
  return (
    <div class="ranks-page">
      <h1 class="headline" data-test="ranks-headline">
        {outlier ? outlierWords(outlier) : `None of the ${ranks.length} ranks stands out.`}
      </h1>
      {outlier && <WhatToDo facts={facts} />}
      {measures.length > 1 && (
        <label class="row">
          curves of{' '}
          <select
            value={measure}
            onChange={(event) => setState({ measure: event.currentTarget.value })}
          >
            {measures.map((one) => (
              <option key={one} value={one}>
                {WORDS[one]}
              </option>
            ))}
          </select>
        </label>
      )}
      <RankGrid data={data} order={order} chosen={chosen} choose={(rank) => setState({ rank })} />
      <HoldingTable rank={chosen} more={more[String(chosen)] ?? []} />
      <RankTable facts={facts} chosen={chosen} state={state} setState={setState} />
    </div>
  );
}
