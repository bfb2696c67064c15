import { MiB } from '../../base/bytes.ts';
import { FormatError } from '../../base/errors.ts';
import { SECOND_NS } from '../../base/time.ts';
import { origin } from '../../model/origin.ts';
import { isPlainTable, isText, PLAIN_TABLES, plainColumn } from '../../model/plain.ts';
import type { Recording } from '../../model/recording.ts';
import type { ColumnSpec, TableName } from '../../model/schema.ts';
import { hostUsed } from '../../model/series.ts';
import { columnTitle } from './columns.ts';

const ROWS_A_PIECE = 512;

export type CellText = (row: number) => string;

/** Seconds since the workload's start and MiB in use, without what the recorder itself used. */
export function writeMemUsed(recording: Recording): Iterable<string> {
  const host = recording.table('host');
  const zero = origin(recording).ns;
  const times = host.f64('time');
  const used = hostUsed(host);
  const own = host.f64('recorder_anon');
  const cells: CellText[] = [
    (row) => secondsText(times[row]! - zero),
    (row) => numberText((used[row]! - (Number.isNaN(own[row]!) ? 0 : own[row]!)) / MiB),
  ];
  return rows(['seconds', 'mem_used'], cells, host.rows);
}

/** Every column of a table; texts for their ids, null as an empty cell. */
export function writeTable(recording: Recording, name: string): Iterable<string> {
  if (!isPlainTable(name)) {
    throw new FormatError(`there is no table '${name}' to write as CSV`, {
      hint: `one of mem_used, events, ${PLAIN_TABLES.join(', ')}`,
    });
  }
  const table = recording.table(name);
  const zero = origin(recording).ns;
  const { columns } = table.spec;
  const cells = columns.map((column) => cellText(recording, name, column, zero));
  return rows(columns.map(columnTitle), cells, table.rows);
}

function cellText(
  recording: Recording,
  table: TableName,
  column: ColumnSpec,
  zero: number,
): CellText {
  const data = plainColumn(recording, table, column);
  if (isText(column)) return (row) => quote(data[row] as string);
  if (column.unit === 'ns') {
    const times = data as Float64Array;
    return (row) => secondsText(times[row]! - zero);
  }
  return (row) => numberText(data[row] as number | bigint);
}

/** To the nanosecond, as clocks count: below it are only leftovers of arithmetic. */
export function secondsText(ns: number): string {
  return numberText(Math.round(ns) / SECOND_NS);
}

export function numberText(value: number | bigint): string {
  return Number.isNaN(value) ? '' : String(value);
}

export function quote(text: string): string {
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function* rows(titles: readonly string[], cells: readonly CellText[], count: number) {
  let piece = titles.length > 0 ? `${titles.map(quote).join(',')}\n` : '';
  for (let row = 0; row < count; row++) {
    const line = cells.map((cell) => cell(row)).join(',');
    // A blank line is no record: a table of one column must quote its empty text.
    piece += line === '' ? '""\n' : `${line}\n`;
    if ((row + 1) % ROWS_A_PIECE === 0) {
      yield piece;
      piece = '';
    }
  }
  yield piece;
}
