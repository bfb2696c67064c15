import type { RecordingBuilder } from '../builder.ts';
import type { Cell, ColumnData } from '../column-data.ts';
import { TABLES, type TableName } from '../schema.ts';
import type { Table } from '../table.ts';
import type { HostNumbering } from './host-numbering.ts';
import type { JobPart } from './one-job.ts';

/** Rows of one recording as cells of the job's: times, texts, processes and cards are the job's. */
export class PartRows {
  readonly #part: JobPart;
  readonly #offset: number;
  readonly #intern: (text: string) => number;
  readonly #texts = new Map<number, number>();
  readonly #numbering: HostNumbering;
  readonly #columns = new Map<TableName, readonly ((row: number) => Cell)[]>();

  constructor(part: JobPart, offset: number, builder: RecordingBuilder, numbering: HostNumbering) {
    this.#part = part;
    this.#offset = offset;
    this.#intern = (text) => builder.intern(text);
    this.#numbering = numbering;
  }

  cells(name: keyof typeof TABLES, row: number): Cell[] {
    let columns = this.#columns.get(name);
    if (!columns) {
      const table = this.#part.recording.table(name);
      columns = TABLES[name].columns.map((spec) => this.#reader(table, spec.name, spec.unit));
      this.#columns.set(name, columns);
    }
    return columns.map((read) => read(row));
  }

  #reader(table: Table, name: string, unit: string): (row: number) => Cell {
    const spec = table.spec.columns.find((column) => column.name === name);
    if (!spec) return () => null;
    const column = table.column(spec) as Exclude<ColumnData, string[]>;
    if (unit === 'ns') return (row) => (column[row] as number) + this.#offset;
    if (unit === 'string') return (row) => this.#text(column[row] as number);
    if (name === 'pid' || name === 'ppid') {
      return (row) => this.#numbering.pid(this.#part, column[row] as number);
    }
    if (name === 'gpu') return (row) => this.#numbering.gpu(this.#part, column[row] as number);
    return (row) => column[row]!;
  }

  #text(id: number): number {
    let known = this.#texts.get(id);
    if (known === undefined) {
      known = this.#intern(this.#part.recording.text(id));
      this.#texts.set(id, known);
    }
    return known;
  }
}
