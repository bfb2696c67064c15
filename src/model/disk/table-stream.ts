import { closeSync, fstatSync, readSync } from 'node:fs';
import { errnoCode, FormatError, UserError } from '../../base/errors.ts';
import { decodeStream } from '../arrow-reader.ts';
import { inOrderOfTime, type TableName, type TableSpec } from '../schema.ts';
import { isSound } from '../sound-table.ts';
import { Table, TableBuffer } from '../table.ts';
import { type IndexEntry, parseIndex, verify } from './index-file.ts';
import { unlikeSpec } from './reader.ts';
import { openRegular } from './regular-files.ts';
import { tablePaths } from './table-file.ts';

/** Of the data at once: messages are of half a second and small. */
const PIECE_BYTES = 1 << 20;
const LINES_BYTES = 1 << 16;

/** What a table was found to be when all of it was looked at. */
export interface StreamedTable {
  readonly spec: TableSpec;
  readonly rows: number;
  /** Bytes after the last whole message, which nothing vouches for. */
  readonly strayBytes: number;
}

/**
 * Reads a table from its first row to its last and hands it on a piece at a time, each of whole samples, so that memory does
 * not grow with the table. null: it is not as a writer leaves it, and is for the ordinary reader, which knows every kind of damage.
 */
export function streamTable(
  folder: string,
  name: TableName,
  visit: (piece: Table) => void,
): StreamedTable | null {
  const fds: number[] = [];
  try {
    const [dataPath, indexPath] = tablePaths(folder, name);
    for (const path of [indexPath, dataPath]) fds.push(openRegular(path));
    return readThrough(name, fds[1]!, fds[0]!, visit);
  } catch (error) {
    if (errnoCode(error) === 'ENOENT' || isUnusual(error)) return null;
    throw error;
  } finally {
    for (const fd of fds) closeSync(fd);
  }
}

/** The same of a table that was found whole before. */
export function* tablePieces(folder: string, name: TableName): Generator<Table> {
  const [dataPath, indexPath] = tablePaths(folder, name);
  const fds: number[] = [];
  try {
    for (const path of [indexPath, dataPath]) fds.push(openRegular(path));
    yield* piecesOf(name, fds[1]!, fds[0]!);
  } catch (error) {
    if (!isUnusual(error)) throw error;
    throw new UserError(`${dataPath} changed while it was read`, { hint: 'try again' });
  } finally {
    for (const fd of fds) closeSync(fd);
  }
}

class Unusual extends Error {}

const isUnusual = (error: unknown) => error instanceof Unusual || error instanceof FormatError;

function readThrough(
  name: TableName,
  data: number,
  index: number,
  visit: (piece: Table) => void,
): StreamedTable | null {
  const pieces = piecesOf(name, data, index);
  let spec: TableSpec | null = null;
  let rows = 0;
  for (;;) {
    const next = pieces.next();
    if (next.done) {
      return spec && { spec, rows, strayBytes: fstatSync(data).size - next.value };
    }
    ({ spec } = next.value);
    rows += next.value.rows;
    visit(next.value);
  }
}

/** Returns where the last message ends. */
function* piecesOf(name: TableName, data: number, index: number): Generator<Table, number> {
  let schema: Uint8Array | null = null;
  let end = 0;
  let lastNs = Number.NEGATIVE_INFINITY;
  let waiting: TableBuffer | null = null;
  for (const entries of neighbours(index)) {
    const from = entries[0]!.offset;
    if (from !== end) throw new Unusual();
    const last = entries.at(-1)!;
    end = last.offset + last.length;
    const bytes = readAt(data, from, end - from);
    if (!entries.every((entry) => verify({ ...entry, offset: entry.offset - from }, bytes))) {
      throw new Unusual();
    }
    let body = bytes;
    if (!schema) {
      if (entries[0]!.kind !== 'schema') throw new Unusual();
      schema = bytes.slice(0, entries[0]!.length);
      body = bytes.subarray(schema.length);
    }
    const { spec, batches } = decodeStream(name, [schema, body]);
    if (unlikeSpec(name, spec)) throw new Unusual();
    waiting ??= new TableBuffer(spec, 1024);
    for (const { rows, columns } of batches) {
      if (!isSound(spec, columns, lastNs)) throw new Unusual();
      waiting.append(columns, 0, rows);
      if (inOrderOfTime(spec) && rows > 0) lastNs = (columns[0] as Float64Array)[rows - 1]!;
    }
    const whole = inOrderOfTime(spec) ? rowsBefore(waiting, lastNs) : waiting.rows;
    if (whole === 0) continue;
    yield firstRows(waiting, whole);
    waiting.drop(whole);
  }
  if (waiting && waiting.rows > 0) yield firstRows(waiting, waiting.rows);
  return end;
}

/** The rows of one moment stay together: sums are over all processes of it. */
function rowsBefore(buffer: TableBuffer, ns: number): number {
  const times = buffer.f64(0);
  let { rows } = buffer;
  while (rows > 0 && times[rows - 1] === ns) rows--;
  return rows;
}

function firstRows(buffer: TableBuffer, rows: number): Table {
  const columns = buffer.columns.map((column) => column.slice(0, rows) as typeof column);
  return new Table(buffer.spec, [{ rows, columns }]);
}

/** The lines of an index, as many at a time as name one piece of the data. */
function* neighbours(index: number): Generator<IndexEntry[]> {
  let group: IndexEntry[] = [];
  let bytes = 0;
  for (const entry of entriesOf(index)) {
    group.push(entry);
    bytes += entry.length;
    if (bytes < PIECE_BYTES) continue;
    yield group;
    [group, bytes] = [[], 0];
  }
  if (group.length > 0) yield group;
}

function* entriesOf(index: number): Generator<IndexEntry> {
  let rest = '';
  const { size } = fstatSync(index);
  for (let at = 0; at < size; at += LINES_BYTES) {
    const text =
      rest + new TextDecoder().decode(readAt(index, at, Math.min(LINES_BYTES, size - at)));
    const cut = text.lastIndexOf('\n') + 1;
    rest = text.slice(cut);
    const { entries, badLines } = parseIndex(text.slice(0, cut));
    if (badLines > 0) throw new Unusual();
    yield* entries;
  }
  if (rest !== '') throw new Unusual();
}

function readAt(fd: number, offset: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let done = 0;
  while (done < length) {
    const got = readSync(fd, bytes, done, length - done, offset + done);
    if (got === 0) throw new Unusual();
    done += got;
  }
  return bytes;
}
