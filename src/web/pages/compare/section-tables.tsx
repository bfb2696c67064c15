import type { Comparison } from '../../../analyses/compare/index.ts';
import { layerDifferenceSections } from '../../../views/compare/comparison.ts';
import { liveStacksSections } from '../../../views/compare/live-stacks-diff.ts';
import type { TableSection } from '../../../views/table.ts';
import { RowsTable } from '../../parts/rows-table.tsx';

/** What layers say beyond the samples, in the tables of the command line. */
export const SectionTables = ({ comparison }: { comparison: Comparison }) => (
  <Sections sections={layerDifferenceSections(comparison.layers)} />
);

/** What heap profiles differ in, line by line. */
export const ProfileTables = ({ comparison }: { comparison: Comparison }) => (
  <Sections sections={liveStacksSections(comparison.liveStacks)} />
);

function Sections({ sections }: { sections: readonly TableSection[] }) {
  return (
    <>
      {sections.map(({ title, rows }) => (
        <section key={title}>
          <h2>{title}</h2>
          <RowsTable label={title} rows={rows} />
        </section>
      ))}
    </>
  );
}
