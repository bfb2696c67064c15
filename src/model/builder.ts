import { UserError } from '../base/errors.ts';
import { makeRecording, type Recording } from './recording.ts';
import { newRun, type RunInfo } from './run.ts';
import { inOrderOfTime, TABLES, type TableName, type TableSpec, tableSpec } from './schema.ts';
import { isTime } from './sound-table.ts';
import { StringPool } from './strings.ts';
import { type Batch, Table, TableBuffer } from './table.ts';

/** The way an importer makes a recording: fill tables, then build; a built recording is frozen. */
export class RecordingBuilder {
  readonly run: RunInfo;
  readonly #buffers = new Map<TableName, TableBuffer>();
  readonly #made = new Map<TableName, Batch>();
  readonly #strings: StringPool;

  /** `clean`: what is done to each text before it is kept. */
  constructor(
    fields: Partial<RunInfo> & Pick<RunInfo, 'id' | 'name'>,
    clean?: (text: string) => string,
  ) {
    this.#strings = new StringPool(clean);
    this.run = newRun(fields);
  }

  /** The buffer of a table; `host` needs its fields on first use. */
  table(name: TableName, meminfoFields: readonly string[] = []): TableBuffer {
    return this.#buffer(name, () => tableSpec(name, meminfoFields));
  }

  /** A table whose columns are made already, in the order of its spec. */
  put(name: TableName, batch: Batch): void {
    if (batch.rows > 0) this.#made.set(name, batch);
  }

  intern(text: string): number {
    return this.#strings.intern(text);
  }

  warn(message: string): void {
    this.run.warnings.push(message);
  }

  /** Checks what every reader relies on: times that are finite and do not go back. */
  build(): Recording {
    const tables = new Map<TableName, Table>();
    for (const [name, buffer] of this.#buffers) {
      if (buffer.rows === 0) continue;
      const table = new Table(buffer.spec, [buffer.take()]);
      checkTimes(table);
      tables.set(name, table);
    }
    for (const [name, batch] of this.#made) {
      tables.set(name, new Table(tableSpec(name), [batch]));
    }
    const strings = new TableBuffer(TABLES.strings);
    for (const [id, value] of this.#strings.takeNew()) strings.push([id, value]);
    if (strings.rows > 0) tables.set('strings', new Table(TABLES.strings, [strings.take()]));
    return makeRecording(this.run, [...tables.keys()], (name) => tables.get(name)!);
  }

  #buffer(name: TableName, spec: () => TableSpec): TableBuffer {
    let buffer = this.#buffers.get(name);
    if (!buffer) {
      buffer = new TableBuffer(spec());
      this.#buffers.set(name, buffer);
    }
    return buffer;
  }
}

/** Refuses a table whose times are not finite or go back: every reader relies on their order. */
export function checkTimes(table: Table): void {
  if (!inOrderOfTime(table.spec)) return;
  const times = table.f64('time');
  for (let row = 0; row < times.length; row++) {
    const ok = isTime(times[row]!) && (row === 0 || times[row]! >= times[row - 1]!);
    if (!ok) {
      throw new UserError(`row ${row + 1} of table ${table.spec.name} is out of order in time`, {
        hint: 'sort the input by time',
      });
    }
  }
}
