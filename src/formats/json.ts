import { isObject } from '../base/checks.ts';
import { FormatError } from '../base/errors.ts';
import { checkTimes } from '../model/builder.ts';
import { type Cell, type ColumnData, newColumn } from '../model/column-data.ts';
import { makeRecording, type Recording, TABLE_NAMES } from '../model/recording.ts';
import { checkRun } from '../model/run-check.ts';
import {
  type ColumnSpec,
  SCHEMA_VERSION,
  type TableName,
  type TableSpec,
  tableSpec,
} from '../model/schema.ts';
import { Table } from '../model/table.ts';
import { upgradeRun } from '../model/upgrade.ts';
import type { Format } from './format.ts';
import { headText, type Input } from './input.ts';

/**
 * A whole recording as one object:
 * `{ format: 'highwater', schemaVersion, run, tables: { host: { columns: { time: […] … } } … } }`.
 * null is null, 64-bit addresses are decimal strings, texts stay ids into the table `strings`.
 */
export const json: Format = {
  id: 'json',
  title: 'a whole recording as JSON',
  extensions: ['.json'],
  sniff: (head) => /^\s*\{[\s\S]*"format"\s*:\s*"highwater"/.test(headText(head)),
  read: readJson,
  write: writeJson,
};

const VALUES_A_PIECE = 2048;
const MAX_U64 = 2n ** 64n - 1n;

function* writeJson(recording: Recording): Generator<string> {
  const { run, tables } = recording;
  yield `{"format":"highwater","schemaVersion":${SCHEMA_VERSION},\n"run":${JSON.stringify(run)},\n`;
  yield '"tables":{';
  for (const [t, name] of tables.entries()) {
    const table = recording.table(name);
    yield `${t > 0 ? ',' : ''}\n${JSON.stringify(name)}:{"columns":{`;
    for (const [c, column] of table.spec.columns.entries()) {
      yield `${c > 0 ? ',' : ''}\n  ${JSON.stringify(column.name)}:[`;
      yield* writeValues(table.column(column));
      yield ']';
    }
    yield '}}';
  }
  yield '\n}}\n';
}

function* writeValues(data: ColumnData): Generator<string> {
  for (let start = 0; start < data.length; start += VALUES_A_PIECE) {
    const values = [...data.slice(start, start + VALUES_A_PIECE)];
    // JSON writes NaN as null, which is what NaN means here.
    const texts = values.map((v) => (typeof v === 'bigint' ? `"${v}"` : JSON.stringify(v)));
    yield (start > 0 ? ',' : '') + texts.join();
  }
}

function readJson(input: Input): Recording {
  const fail = (what: string, hint?: string): never => {
    throw new FormatError(`${input.name}: ${what}`, { hint });
  };
  const root = parse(input);
  if (!isObject(root) || root.format !== 'highwater') return fail("no 'format': 'highwater'");
  if (!isObject(root.run)) return fail("no 'run' object");
  if (root.run.schemaVersion !== root.schemaVersion) return fail('two different schemaVersions');
  const { run, wrong } = checkRun(upgradeRun(root.run));
  if (wrong.length > 0) return fail(`run.${wrong[0]} is missing or not what it should be`);
  if (!isObject(root.tables)) return fail("no 'tables' object");

  const tables = new Map<TableName, Table>();
  for (const [name, value] of Object.entries(root.tables)) {
    const known = TABLE_NAMES.find((table) => table === name);
    if (!known) return fail(`no table is called '${name}'`, `known: ${TABLE_NAMES.join(', ')}`);
    if (!isObject(value) || !isObject(value.columns)) return fail(`table ${name} has no columns`);
    const table = readTable(`${input.name}: table ${name}`, known, value.columns);
    checkTimes(table);
    tables.set(known, table);
  }
  return makeRecording(run, [...tables.keys()], (name) => tables.get(name)!);
}

function parse(input: Input): unknown {
  try {
    return JSON.parse(input.text());
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new FormatError(`${input.name} is not whole JSON: ${error.message}`, { cause: error });
  }
}

function readTable(place: string, name: TableName, columns: Record<string, unknown>): Table {
  const spec: TableSpec = tableSpec(name, Object.keys(columns));
  const unknown = Object.keys(columns).find((key) => !spec.columns.some((c) => c.name === key));
  if (unknown !== undefined) throw new FormatError(`${place} has no column '${unknown}'`);
  const lengths = Object.values(columns).map((v) => (Array.isArray(v) ? v.length : 0));
  const rows = lengths.reduce((most, length) => Math.max(most, length), 0);
  const data = spec.columns.map((column) => {
    const values = columns[column.name];
    // As on disk: a recording of an older version may lack a column, which then is all null.
    if (values === undefined && column.type === 'f64' && column.name !== 'time') {
      return new Float64Array(rows).fill(Number.NaN);
    }
    if (!Array.isArray(values)) throw new FormatError(`${place}: no column ${column.name}`);
    if (values.length !== rows) throw new FormatError(`${place}: columns of different lengths`);
    return readColumn(`${place}, column ${column.name}`, column, values);
  });
  return new Table(spec, [{ rows, columns: data }]);
}

function readColumn(place: string, column: ColumnSpec, values: readonly unknown[]): ColumnData {
  const data = newColumn(column.type, values.length) as Cell[];
  for (const [row, value] of values.entries()) {
    const cell = readValue(column, value);
    if (cell === undefined) {
      throw new FormatError(
        `${place}, row ${row + 1}: ${JSON.stringify(value)} has no place there`,
      );
    }
    data[row] = cell;
  }
  return data as ColumnData;
}

/** The value as the column holds it, undefined when it cannot. */
function readValue(column: ColumnSpec, value: unknown): Cell | undefined {
  switch (column.type) {
    case 'f64':
      if (value === null) return Number.NaN;
      return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
    case 'utf8':
      return typeof value === 'string' ? value : undefined;
    case 'u64': {
      if (typeof value !== 'string' || !/^\d{1,20}$/.test(value)) return undefined;
      return BigInt(value) <= MAX_U64 ? BigInt(value) : undefined;
    }
    default: {
      const most = column.type === 'u8' ? 0xff : 0xffffffff;
      const fits = Number.isInteger(value) && (value as number) >= 0 && (value as number) <= most;
      return fits ? (value as number) : undefined;
    }
  }
}
