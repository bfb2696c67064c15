import type { Comparison } from '../../../analyses/compare/index.ts';
import { comparisonSections } from '../../../views/compare/comparison.ts';
import { RowsTable } from '../../parts/rows-table.tsx';

/** What layers and allocation traces say beyond the samples, in the tables of the command line. */
export function SectionTables({ comparison }: { comparison: Comparison }) {
  return (
    <>
      {comparisonSections(comparison).map(({ title, rows }) => (
        <section key={title}>
          <h2>{title}</h2>
          <RowsTable label={title} rows={rows} />
        </section>
      ))}
      {comparison.allocations && (
        <ul class="notes">
          {comparison.allocations.notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
    </>
  );
}
