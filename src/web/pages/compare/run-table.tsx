import type { ComparedRun, Comparison } from '../../../analyses/compare/index.ts';
import { formatMiB } from '../../../base/bytes.ts';
import { formatDuration } from '../../../base/time.ts';
import { exitWords, formatStep, formatTimes } from '../../../views/compare/comparison.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import type { PageProps } from '../page.ts';

type Props = PageProps & { readonly comparison: Comparison };

/** A row each run: the figures that `highwater compare` prints. */
export function RunTable({ comparison, state, setState }: Props) {
  const { runs, skipped, notes } = comparison;
  if (runs.length === 0) return null;
  const columns = columnsFor(comparison);
  const usual = columns.some(({ key }) => key === 'above') ? '-above' : '-peak';
  return (
    <section>
      <h2>Runs</h2>
      <DataTable
        label="runs"
        columns={columns}
        rows={runs}
        sort={state.sort ?? usual}
        onSort={(sort) => setState({ sort })}
        keyOf={({ name }) => name}
      />
      <ul class="notes">
        {skipped.map(({ name, reason }) => (
          <li key={name}>
            skipped: <bdi class="name">{name}</bdi>: {reason}
          </li>
        ))}
        {notes.map((note) => (
          <li key={note}>{note}</li>
        ))}
      </ul>
    </section>
  );
}

function columnsFor({ runs, series }: Comparison): Column<ComparedRun>[] {
  const bytes = (key: string, head: string, of: (run: ComparedRun) => number) => ({
    key,
    head,
    value: of,
    cell: (run: ComparedRun) => formatMiB(of(run)),
  });
  const all: (Column<ComparedRun> & { readonly when?: boolean })[] = [
    {
      key: 'run',
      head: 'run',
      value: ({ name }) => name,
      cell: ({ name }) => <bdi class="name">{name}</bdi>,
    },
    { key: 'series', head: 'series', value: (run) => run.series, when: series === null },
    bytes('peak', 'peak', (run) => run.peakBytes),
    {
      ...bytes('above', 'above baseline', (run) => run.peakAboveBaselineBytes),
      when: runs.some((run) => run.baselineBytes > 0),
    },
    {
      key: 'times',
      head: 'times lowest',
      value: (run) => run.timesLowest,
      cell: ({ timesLowest }) => (timesLowest === null ? '–' : formatTimes(timesLowest)),
      when: runs.length > 1,
    },
    {
      key: 'at',
      head: 'at',
      value: (run) => run.peakSeconds,
      cell: (run) => formatDuration(run.peakSeconds),
    },
    {
      key: 'duration',
      head: 'duration',
      value: (run) => run.durationSeconds,
      cell: (run) => formatDuration(run.durationSeconds),
    },
    {
      key: 'iterations',
      head: 'iterations',
      value: (run) => run.iterations,
      when: runs.some((run) => run.iterations !== null),
    },
    {
      key: 'step',
      head: 'an iteration',
      value: (run) => run.secondsPerIteration,
      cell: (run) => (run.secondsPerIteration === null ? '–' : formatStep(run.secondsPerIteration)),
      when: runs.some((run) => run.secondsPerIteration !== null),
    },
    { key: 'samples', head: 'samples', value: (run) => run.samples },
    {
      key: 'exit',
      head: 'exit',
      value: exitWords,
      when: runs.some((run) => run.exit.how !== 'imported'),
    },
  ];
  return all.filter(({ when }) => when !== false);
}
