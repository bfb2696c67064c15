import { isoTime, SECOND_NS } from '../../base/time.ts';
import type { Cell } from '../../model/column-data.ts';
import { makeRecording, type Recording } from '../../model/recording.ts';
import { TABLES, type TableName } from '../../model/schema.ts';
import { Table, TableBuffer } from '../../model/table.ts';

export interface NewMark {
  readonly kind: string;
  readonly name: string;
  /** Unix seconds. */
  readonly at: number;
  readonly timeFrom: number;
  readonly epoch?: number;
  readonly iteration?: number;
  readonly value?: number;
}

/**
 * The same recording with more marks, at wall times. Where one is before its start, the recording
 * begins earlier, by whole seconds, and all its times move up.
 */
export function withMarks(
  recording: Recording,
  marks: readonly NewMark[],
  warnings: readonly string[],
): Recording {
  const started = Date.parse(recording.run.startedAt) / 1000;
  const earliest = marks.reduce((least, { at }) => Math.min(least, at), started);
  const base = Math.min(started, started - Math.ceil(started - earliest));
  const shift = Math.round((started - base) * SECOND_NS);
  const strings = new Texts(recording);
  const rows = oldMarks(recording, shift);
  for (const mark of marks) {
    rows.push([
      (mark.at - base) * SECOND_NS,
      mark.timeFrom,
      null,
      null,
      strings.id(mark.kind),
      strings.id(mark.name),
      mark.epoch ?? null,
      mark.iteration ?? null,
      mark.value ?? null,
    ]);
  }
  rows.sort((a, b) => (a[0] as number) - (b[0] as number));
  const replaced = new Map<TableName, Table>([
    ['marks', tableOf('marks', rows)],
    ['strings', tableOf('strings', strings.rows)],
  ]);
  const names = [...new Set<TableName>([...recording.tables, ...replaced.keys()])];
  const run = {
    ...recording.run,
    startedAt: isoTime(base * 1000),
    warnings: [...recording.run.warnings, ...warnings],
  };
  const load = (name: TableName) => replaced.get(name) ?? later(recording.table(name), shift);
  return makeRecording(run, names, load, recording.damage);
}

function tableOf(name: 'marks' | 'strings', rows: readonly (readonly Cell[])[]): Table {
  const buffer = new TableBuffer(TABLES[name]);
  for (const row of rows) buffer.push(row);
  return new Table(buffer.spec, [buffer.take()]);
}

function oldMarks(recording: Recording, shift: number): Cell[][] {
  const table = later(recording.table('marks'), shift);
  const columns = table.spec.columns.map((column) => table.column(column));
  const cell = (value: Cell) => (Number.isNaN(value) ? null : value);
  return Array.from({ length: table.rows }, (_, row) => columns.map((c) => cell(c[row]!)));
}

/** The table with its times moved up. */
function later(table: Table, ns: number): Table {
  if (ns === 0) return table;
  const clocks = table.spec.columns.map((column) => column.unit === 'ns');
  return new Table(
    table.spec,
    table.batches.map(({ rows, columns }) => ({
      rows,
      columns: columns.map((column, i) =>
        clocks[i] ? (column as Float64Array).map((time) => time + ns) : column,
      ),
    })),
  );
}

/** The recording's texts, and new ones after them. */
class Texts {
  readonly rows: [number, string][];
  readonly #ids: Map<string, number>;
  #next: number;

  constructor(recording: Recording) {
    const table = recording.table('strings');
    const values = table.utf8('value');
    this.rows = Array.from(table.u32('id'), (id, row) => [id, values[row]!]);
    this.#ids = new Map(this.rows.map(([id, value]) => [value, id]));
    this.#next = this.rows.reduce((most, [id]) => Math.max(most, id + 1), 0);
  }

  id(text: string): number {
    let id = this.#ids.get(text);
    if (id === undefined) {
      id = this.#next++;
      this.#ids.set(text, id);
      this.rows.push([id, text]);
    }
    return id;
  }
}
