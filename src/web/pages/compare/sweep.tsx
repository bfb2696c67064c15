import { type Fit, isNumber } from '../../../analyses/fit/index.ts';
import type { Spread, Sweep, SweepRow } from '../../../analyses/sweep/index.ts';
import { formatMiB } from '../../../base/bytes.ts';
import { shellJoin } from '../../../base/text.ts';
import { formatDuration } from '../../../base/time.ts';
import { aboveLowest, exitWords, sweepRemarks, sweepSentence } from '../../../views/sweep/sweep.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import type { PageProps } from '../page.ts';
import { Against } from './against.tsx';

export type FittedSweep = Sweep & { readonly fit: Fit | null };

/** A sweep: its answer and its table. */
export function SweepHead({ sweep, ...props }: PageProps & { sweep: FittedSweep }) {
  return (
    <section>
      <p class="headline" data-test="sweep-headline">
        {sweepSentence(sweep)}
      </p>
      <Against verdict={sweep.verdict} />
      <p class="muted name">{shellJoin(sweep.command)}</p>
      <SweepTable {...props} sweep={sweep} />
      <ul class="notes">
        {sweepRemarks(sweep).map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </section>
  );
}

type TableProps = Pick<PageProps, 'state' | 'setState'> & { readonly sweep: Sweep };

/** A row each combination, in the order of the grid until a head is clicked. */
function SweepTable({ sweep, state, setState }: TableProps) {
  return (
    <DataTable
      label="combinations"
      columns={columnsFor(sweep)}
      rows={sweep.combinations}
      sort={state.ssort}
      onSort={(ssort) => setState({ ssort })}
      keyOf={({ name }) => name}
    />
  );
}

function columnsFor(sweep: Sweep): Column<SweepRow>[] {
  const mean = (
    key: string,
    head: string,
    of: (row: SweepRow) => Spread | null,
    format: (value: number) => string,
  ): Column<SweepRow> => ({
    key,
    head,
    value: (row) => of(row)?.mean ?? null,
    cell: (row) => {
      const spread = of(row);
      return spread === null ? '–' : format(spread.mean);
    },
  });
  const params = sweep.params.map(
    ({ name }): Column<SweepRow> => ({
      key: `param ${name}`,
      head: name,
      value: ({ params: { [name]: value = '' } }) => (isNumber(value) ? Number(value) : value),
      cell: ({ params: { [name]: value } }) => <bdi class="name">{value}</bdi>,
    }),
  );
  const repeats: Column<SweepRow>[] = [
    {
      key: 'range',
      head: 'from – to',
      figure: true,
      value: ({ peakBytes }) => peakBytes && peakBytes.max - peakBytes.min,
      cell: ({ peakBytes: spread }) =>
        spread === null ? '–' : `${formatMiB(spread.min)} – ${formatMiB(spread.max)}`,
    },
    {
      key: 'lowest',
      head: 'above lowest',
      figure: true,
      value: (row) => row.peakAboveBaselineBytes?.mean ?? null,
      cell: (row) => aboveLowest(row, sweep),
    },
  ];
  return [
    ...params,
    mean('peak', 'peak', (row) => row.peakBytes, formatMiB),
    mean('above', 'above baseline', (row) => row.peakAboveBaselineBytes, formatMiB),
    ...(sweep.repeat > 1 ? repeats : []),
    mean('duration', 'duration', (row) => row.durationSeconds, formatDuration),
    { key: 'exit', head: 'exit', value: exitWords },
  ];
}
