import type { DeviceDifference } from '../../../../analyses/allocations/diff/index.ts';
import type { Category } from '../../../../analyses/allocations/evidence/reasons.ts';
import { formatBytes } from '../../../../base/bytes.ts';
import { kindName } from '../../../../model/memory-kinds.ts';
import { kindColor } from '../../../../views/chart/palette.ts';
import { categoryTitle, delta } from '../../../../views/compare/allocation-diff.ts';
import { type Column, DataTable } from '../../../parts/data-table.tsx';
import { theme } from '../../../theme.ts';
import type { PageProps } from '../../page.ts';
import type { Lights } from './lights.ts';
import { litText } from './lit.ts';

/** `null`: all of them together. */
type Row = Omit<DeviceDifference['categories'][number], 'category'> & {
  readonly category: Category | null;
};

interface Props extends PageProps, Lights {
  readonly pair: DeviceDifference;
}

/** What both held at their peaks, by category: before, after, and the difference. */
export function CategoryTable({ pair, state, setState, ...lights }: Props) {
  const title = categoryTitle(pair);
  const { pinned, point, choose } = lights;
  const litBy = ({ category }: Row) => ({ what: 'category', category: category ?? '' }) as const;
  return (
    <section>
      <h2>{title}</h2>
      <DataTable
        label="difference by category"
        columns={columnsFor(pair)}
        rows={pair.categories}
        sort={state.csort}
        onSort={(csort) => setState({ csort })}
        keyOf={(row) => litText(litBy(row))}
        selected={pinned ? litText(pinned) : undefined}
        onSelect={(row) => choose(litBy(row))}
        onPoint={(row) => point(row && litBy(row))}
        total={{ category: null, ...pair.live }}
      />
    </section>
  );
}

const columnsFor = ({ a, b }: DeviceDifference): Column<Row>[] => [
  {
    key: 'category',
    head: 'category',
    value: ({ category }) => (category === null ? 'all' : kindName(category)),
    cell: ({ category }) =>
      category === null ? (
        'all'
      ) : (
        <>
          <span class="swatch" style={{ background: kindColor(theme.value, category) }} />{' '}
          {kindName(category)}
        </>
      ),
  },
  {
    key: 'a',
    head: a.slice(0, 60),
    value: ({ bytes }) => bytes.a,
    cell: ({ bytes }) => formatBytes(bytes.a),
  },
  {
    key: 'b',
    head: b.slice(0, 60),
    value: ({ bytes }) => bytes.b,
    cell: ({ bytes }) => formatBytes(bytes.b),
  },
  {
    key: 'difference',
    head: 'difference',
    value: ({ bytes }) => bytes.difference,
    cell: ({ bytes }) => delta(bytes),
  },
  {
    key: 'blocks',
    head: 'blocks',
    figure: true,
    value: ({ allocations }) => allocations.difference,
    cell: ({ allocations }) => `${allocations.a} → ${allocations.b}`,
  },
];
