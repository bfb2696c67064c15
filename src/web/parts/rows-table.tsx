import { figureIn } from '../../base/figure-in.ts';
import type { TextTable } from '../../views/table.ts';
import { type Column, DataTable } from './data-table.tsx';

/** Rows of words as they stand in a terminal. */
export function RowsTable({ label, rows }: { label: string; rows: TextTable }) {
  const columns = rows.head.map(
    (head, i): Column<readonly string[]> => ({
      key: String(i),
      head,
      figure: rows.right.has(i),
      value: (cells) => cells[i] ?? '',
      order: (cells) => (rows.right.has(i) ? figureIn(cells[i] ?? '') : (cells[i] ?? '')),
    }),
  );
  const numbered = new Map(rows.body.map((cells, i) => [cells, String(i)]));
  return (
    <>
      <DataTable
        label={label}
        columns={columns}
        rows={rows.body}
        keyOf={(cells) => numbered.get(cells)!}
      />
      {rows.rest && <p class="muted">{rows.rest}</p>}
    </>
  );
}
