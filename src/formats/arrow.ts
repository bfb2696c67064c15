import { FormatError } from '../base/errors.ts';
import { count } from '../base/text.ts';
import { type ArrowTable, decodeStream } from '../model/arrow-reader.ts';
import { ArrowEncoder } from '../model/arrow-writer.ts';
import { RecordingBuilder } from '../model/builder.ts';
import type { Cell, ColumnData } from '../model/column-data.ts';
import {
  isPlainTable,
  PLAIN_TABLES,
  plainColumn,
  plainRows,
  plainSpec,
  recogniseTable,
} from '../model/plain.ts';
import type { Recording } from '../model/recording.ts';
import type { TableName, TableSpec } from '../model/schema.ts';
import type { Format } from './format.ts';
import type { Input } from './input.ts';

/**
 * One table as an Arrow IPC stream: pandas, polars, DuckDB and R open it with one line. Columns
 * are as in the recording (times are ns since its start), but texts are texts. Reads the same, also
 * from an Arrow file ("Feather 2"), whose inside is such a stream.
 * https://arrow.apache.org/docs/format/Columnar.html#serialization-and-interprocess-communication-ipc
 */
export const arrow: Format = {
  id: 'arrow',
  title: 'one table as an Arrow IPC stream',
  extensions: ['.arrow', '.arrows', '.feather'],
  defaultTable: 'host',
  binary: true,
  sniff: (head) => isFile(head) || isStream(head),
  read: readArrow,
  write: writeArrow,
};

const FILE_MAGIC = 'ARROW1';
const ROWS_A_BATCH = 65_536;
const END_OF_STREAM = new Uint8Array([0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]);

const isStream = (head: Uint8Array) => [0, 1, 2, 3].every((i) => head[i] === 0xff);
const isFile = (head: Uint8Array) =>
  [...FILE_MAGIC].every((letter, i) => head[i] === letter.charCodeAt(0));

function* writeArrow(
  recording: Recording,
  options: { table?: string } = {},
): Generator<Uint8Array> {
  const name = options.table ?? 'host';
  if (!isPlainTable(name)) {
    throw new FormatError(`there is no table '${name}' to write as Arrow`, {
      hint: `one of ${PLAIN_TABLES.join(', ')}`,
    });
  }
  const table = recording.table(name);
  const encoder = new ArrowEncoder(plainSpec(table.spec));
  const columns = table.spec.columns.map((column) => plainColumn(recording, name, column));
  yield encoder.schemaBytes;
  for (let start = 0; start < table.rows; start += ROWS_A_BATCH) {
    const end = Math.min(table.rows, start + ROWS_A_BATCH);
    const part = columns.map((column): ColumnData => column.slice(start, end));
    yield encoder.encode({ rows: end - start, columns: part });
  }
  yield END_OF_STREAM;
}

function readArrow(input: Input): Recording {
  const bytes = input.bytes();
  if (!isFile(bytes) && !isStream(bytes)) throw new FormatError(`${input.name} is no Arrow stream`);
  const found = decodeStream(input.name, [isFile(bytes) ? bytes.subarray(8) : bytes]);
  const spec = recognise(input, found);
  const builder = new RecordingBuilder({ id: `arrow:${input.name}`, name: input.name });
  if (found.cutBytes > 0) {
    builder.warn(`the end of ${input.name} is cut off: ${count(found.cutBytes, 'byte')} dropped`);
  }
  const order = spec.columns.map((column) =>
    found.spec.columns.findIndex((other) => other.name === column.name),
  );
  const push = plainRows(builder, spec);
  for (const batch of found.batches) {
    const columns = order.map((i) => batch.columns[i]);
    for (let row = 0; row < batch.rows; row++) {
      push(columns.map((column, i) => (column ? finite(input, spec, i, column[row]!) : null)));
    }
  }
  if (builder.table(spec.name as TableName).rows === 0) {
    throw new FormatError(`${input.name} has no whole row`);
  }
  return builder.build();
}

function recognise(input: Input, found: ArrowTable): TableSpec {
  const names = found.spec.columns.map((column) => column.name);
  const spec = recogniseTable(names, (column) => column.name);
  if (!spec) {
    throw new FormatError(`${input.name}: no table is known with the columns ${names.join(', ')}`, {
      hint: `known are the tables ${PLAIN_TABLES.join(', ')}`,
    });
  }
  for (const wanted of plainSpec(spec).columns) {
    const column = found.spec.columns.find((other) => other.name === wanted.name);
    if (!column || column.type === wanted.type) continue;
    const ids = wanted.type === 'utf8' && column.type === 'u32';
    throw new FormatError(
      `${input.name}: column ${wanted.name} is ${column.type}, expected ${wanted.type}`,
      ids ? { hint: "its texts lie in the recording's strings: open the recording's folder" } : {},
    );
  }
  return spec;
}

/** NaN is null; an infinite value is nothing that was measured. */
function finite(input: Input, spec: TableSpec, column: number, value: Cell): Cell {
  if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY) {
    throw new FormatError(
      `${input.name}: column ${spec.columns[column]!.name} has infinite values`,
    );
  }
  return value;
}
