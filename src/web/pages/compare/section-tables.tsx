import type { Comparison } from '../../../analyses/compare/index.ts';
import { layerDifferenceSections } from '../../../views/compare/comparison.ts';
import { RowsTable } from '../../parts/rows-table.tsx';

/** What layers say beyond the samples, in the tables of the command line. */
export function SectionTables({ comparison }: { comparison: Comparison }) {
  return (
    <>
      {layerDifferenceSections(comparison.layers).map(({ title, rows }) => (
        <section key={title}>
          <h2>{title}</h2>
          <RowsTable label={title} rows={rows} />
        </section>
      ))}
    </>
  );
}
