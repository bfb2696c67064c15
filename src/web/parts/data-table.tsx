import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { count } from '../../base/text.ts';
import { CopyButton } from './copy-button.tsx';

export interface Column<Row> {
  /** In the address, where it says what the table is sorted by. */
  readonly key: string;
  readonly head: string;
  /** What it is sorted by and what a spreadsheet gets: bytes as a whole number. */
  value(row: Row): string | number | null;
  /** What is read; the value where there is none. */
  cell?(row: Row): ComponentChildren;
  /** Set flush right though it is words; figures are so by themselves. */
  readonly figure?: boolean;
  /** What it is sorted by where that is another thing than its value. */
  order?(row: Row): string | number | null;
  /** Said when the pointer rests on the head. */
  readonly about?: string;
}

interface Props<Row> {
  /** For readers who cannot see it. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  /** A column's key, with a minus for the largest first; as given where it names none. */
  readonly sort?: string;
  /** Where the order stands in the address; else the table keeps it itself. */
  onSort?(sort: string): void;
  keyOf(row: Row): string;
  readonly selected?: string;
  onSelect?(row: Row): void;
  /** The pointer, or the focus, is on a row that can be chosen; null: it left. */
  onPoint?(row: Row | null): void;
  /** Below the last row, in bold. */
  readonly total?: Row;
}

/** More rows than this make a page slow, and nobody reads them. */
const MOST_ROWS = 300;

/** Figures in columns: sorted by a click on a head, copied for a spreadsheet. */
export function DataTable<Row>(props: Props<Row>) {
  const { label, columns, rows, total } = props;
  const [all, setAll] = useState(false);
  const [chosen, setChosen] = useState(props.sort);
  const [sort, onSort] = props.onSort ? [props.sort, props.onSort] : [chosen, setChosen];
  const sorted = sortRows(rows, columns, sort);
  const shown = all ? sorted : sorted.slice(0, MOST_ROWS);
  const hidden = sorted.length - shown.length;
  const figures = columns.map(
    (column) => column.figure ?? rows.some((row) => typeof column.value(row) === 'number'),
  );
  return (
    <div class="data-table">
      <div class="table-tools">
        <CopyButton
          text={() => tsvOf(sorted, columns)}
          label={`Copy ${label} as TSV`}
          words="Copy as TSV"
        />
      </div>
      <table aria-label={label}>
        <thead>
          <tr>
            {columns.map(({ key, head, about }, i) => {
              const down = sort === `-${key}`;
              const order = down ? 'descending' : sort === key ? 'ascending' : undefined;
              // Figures are asked for by the largest, names from A on.
              const next = figures[i] !== down ? `-${key}` : key;
              return (
                <th
                  key={key}
                  class={figures[i] ? 'figure-cell' : ''}
                  aria-sort={order}
                  title={about}
                >
                  <button type="button" onClick={() => onSort(order ? flip(sort!) : next)}>
                    {head}
                    <span aria-hidden="true">{order ? (down ? ' ↓' : ' ↑') : ''}</span>
                  </button>
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <TableRow key={props.keyOf(row)} row={row} figures={figures} {...props} />
          ))}
        </tbody>
        {total !== undefined && (
          <tfoot>
            <tr>{cellsOf(total, columns, figures)}</tr>
          </tfoot>
        )}
      </table>
      {hidden > 0 && (
        <button type="button" class="more" onClick={() => setAll(true)}>
          Show {count(hidden, 'more row')}
        </button>
      )}
    </div>
  );
}

function TableRow<Row>(props: Props<Row> & { row: Row; figures: readonly boolean[] }) {
  const { row, columns, figures, onSelect, onPoint, selected, keyOf } = props;
  if (!onSelect) return <tr>{cellsOf(row, columns, figures)}</tr>;
  const choose = () => onSelect(row);
  return (
    <tr
      class="choosable"
      tabIndex={0}
      aria-selected={selected === keyOf(row)}
      onClick={choose}
      onPointerEnter={onPoint && (() => onPoint(row))}
      onPointerLeave={onPoint && (() => onPoint(null))}
      onFocus={onPoint && (() => onPoint(row))}
      onBlur={onPoint && (() => onPoint(null))}
      onKeyDown={(event) => {
        if (event.key === 'Enter') choose();
      }}
    >
      {cellsOf(row, columns, figures)}
    </tr>
  );
}

function cellsOf<Row>(row: Row, columns: readonly Column<Row>[], figures: readonly boolean[]) {
  return columns.map((column, i) => (
    <td key={column.key} class={figures[i] ? 'figure-cell' : ''}>
      {column.cell ? column.cell(row) : (column.value(row) ?? '–')}
    </td>
  ));
}

const flip = (sort: string) => (sort.startsWith('-') ? sort.slice(1) : `-${sort}`);

function sortRows<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  sort = '',
): readonly Row[] {
  const column = columns.find(({ key }) => key === sort.replace(/^-/, ''));
  if (!column) return rows;
  const sign = sort.startsWith('-') ? -1 : 1;
  const orderOf = (row: Row) => (column.order ? column.order(row) : column.value(row));
  return rows.toSorted((one, other) => {
    const [a, b] = [orderOf(one), orderOf(other)];
    // What is not known stands last, whichever way round.
    if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
    return sign * (a < b ? -1 : a > b ? 1 : 0);
  });
}

function tsvOf<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string {
  const plain = (value: string | number | null) => String(value ?? '').replace(/[\t\r\n]+/g, ' ');
  const lines = rows.map((row) => columns.map((column) => plain(column.value(row))));
  return [columns.map(({ head }) => plain(head)), ...lines]
    .map((cells) => `${cells.join('\t')}\n`)
    .join('');
}
