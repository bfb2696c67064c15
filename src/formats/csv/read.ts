import { FormatError } from '../../base/errors.ts';
import { RecordingBuilder } from '../../model/builder.ts';
import type { Cell } from '../../model/column-data.ts';
import { PLAIN_TABLES, plainRows, recogniseTable } from '../../model/plain.ts';
import type { Recording } from '../../model/recording.ts';
import {
  inOrderOfTime,
  type TableName,
  type TableSpec,
  TIME_FROM,
  tableSpec,
} from '../../model/schema.ts';
import type { Input } from '../input.ts';
import { cellParser, columnTitle, type ParseCell, parseMiB } from './columns.ts';
import { readRecords } from './records.ts';

const MEM_USED = ['seconds', 'mem_used'];

/** Which table a header is of; `parsers` are in the order of the file, `targets` say where to. */
interface Header {
  readonly spec: TableSpec;
  readonly targets: readonly number[];
  readonly parsers: readonly ParseCell[];
}

export function recogniseHeader(cells: readonly string[]): Header | null {
  const titles = cells.map((cell) => cell.trim());
  if (titles.join() === MEM_USED.join()) {
    const spec = tableSpec('host');
    const [time, used] = ['time', 'used'].map((name) => columnIndex(spec, name)) as [
      number,
      number,
    ];
    return {
      spec,
      targets: [time, used],
      parsers: [cellParser(spec.columns[time]!, true), parseMiB],
    };
  }
  const spec = recogniseTable(titles, columnTitle);
  if (!spec) return null;
  const targets = titles.map((title) => spec.columns.findIndex((c) => columnTitle(c) === title));
  return {
    spec,
    targets,
    parsers: targets.map((i) => cellParser(spec.columns[i]!, inOrderOfTime(spec))),
  };
}

const columnIndex = (spec: TableSpec, name: string) =>
  spec.columns.findIndex((column) => column.name === name);

export function readCsv(input: Input): Recording {
  const builder = new RecordingBuilder({ id: `csv:${input.name}`, name: input.name });
  const records = readRecords(input, (line) =>
    builder.warn(`line ${line} of ${input.name}, the last, has no line end: dropped as cut off`),
  );
  const first = records.next().value;
  const header = first && recogniseHeader(first.cells);
  if (!header) {
    const shown = first?.cells.join(',').slice(0, 60) ?? '';
    throw new FormatError(`${input.name}: no table is known with the header '${shown}'`, {
      hint: `known are ${MEM_USED} and those of the tables ${PLAIN_TABLES.join(', ')}`,
    });
  }
  const { spec, parsers } = header;
  const push = plainRows(builder, spec);
  const ordered = inOrderOfTime(spec);
  let before = Number.NEGATIVE_INFINITY;
  for (const { cells, line } of records) {
    const place = `${input.name}, line ${line}`;
    if (cells.length !== parsers.length) {
      throw new FormatError(
        `${place}: ${cells.length} cells, but the header has ${parsers.length}`,
      );
    }
    const row: Cell[] = new Array(spec.columns.length).fill(null);
    for (const [i, parse] of parsers.entries()) {
      row[header.targets[i]!] = parseAt(place, first.cells[i]!, cells[i]!, parse);
    }
    const time = row[0] as number;
    if (ordered && time < before) {
      throw new FormatError(`${place}: its time is before that of the line above`, {
        hint: 'sort the file by seconds',
      });
    }
    before = time;
    push(row);
  }
  if (builder.table(spec.name as TableName).rows === 0) {
    throw new FormatError(`${input.name} has a header and no whole row`);
  }
  placeInTime(builder, spec);
  return builder.build();
}

function parseAt(place: string, title: string, text: string, parse: ParseCell): Cell {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new FormatError(`${place}: ${title} '${text.slice(0, 40)}' ${error.message}`);
  }
}

/**
 * A file counts from the workload's start, a recording from its own. So all times move up by the
 * earliest that is negative, and a mark says where zero was, unless the first sample is there.
 */
function placeInTime(builder: RecordingBuilder, spec: TableSpec): void {
  const rows = builder.table(spec.name as TableName);
  const clocks = spec.columns.flatMap((column, i) => (column.unit === 'ns' ? [rows.f64(i)] : []));
  if (clocks.length === 0) return;
  let earliest = Number.POSITIVE_INFINITY;
  for (const clock of clocks) {
    for (let row = 0; row < rows.rows; row++) if (clock[row]! < earliest) earliest = clock[row]!;
  }
  if (earliest === Number.POSITIVE_INFINITY) return;
  const start = Math.max(0, -earliest);
  if (spec.name === 'marks') {
    // Without a mark of the start, zero is the recording's own.
    const kinds = rows.columns[columnIndex(spec, 'kind')] as Uint32Array;
    if (!kinds.subarray(0, rows.rows).includes(builder.intern('start'))) return;
  } else if (earliest !== 0) {
    const marks = builder.table('marks');
    const mark = { time: start, time_from: TIME_FROM.line, kind: builder.intern('start') };
    const named: Readonly<Record<string, Cell>> = { ...mark, name: builder.intern('start') };
    marks.push(marks.spec.columns.map((column) => named[column.name] ?? null));
  }
  for (const clock of clocks) for (let row = 0; row < rows.rows; row++) clock[row]! += start;
}
