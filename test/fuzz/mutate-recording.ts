import { crc32 } from 'node:zlib';
import { decodeStream } from '../../src/model/arrow-reader.ts';
import { ArrowEncoder } from '../../src/model/arrow-writer.ts';
import type { ColumnData } from '../../src/model/column-data.ts';
import { formatEntry, type IndexEntry, parseIndex } from '../../src/model/disk/index-file.ts';
import type { Batch } from '../../src/model/table.ts';
import { mutate } from './mutate.ts';
import { editJson } from './mutate-json.ts';
import { type Edit, type Files, pick } from './target.ts';
import { otherLong, otherNumber, otherText, otherWord, type Random } from './values.ts';

/** Recordings that somebody changed and sealed again: every checksum fits what is there now. */

/** How many mutants are accidents that a checksum finds. */
const UNSEALED_SHARE = 0.04;

export function mutateRecording(files: Files, random: Random): Files {
  const result = new Map(files);
  if (random() < UNSEALED_SHARE) {
    const names = [...files.keys()];
    const name = pick(random, names);
    return result.set(name, mutate(files.get(name)!, random, files.get(pick(random, names))!));
  }
  for (let n = 1 + Math.floor(random() * 3); n > 0; n--) {
    const roll = random();
    if (roll < 0.15) {
      result.set('run.json', editJson(result.get('run.json')!, random));
      continue;
    }
    const tables = [...result.keys()].filter((name) => name.endsWith('.arrow'));
    const table = pick(random, tables).slice(0, -'.arrow'.length);
    if (roll < 0.75) editValues(result, table, random);
    else if (roll < 0.9) editMessage(result, table, random);
    else editIndex(result, table, random);
  }
  return result;
}

/** Whether every checksum of a recording fits. */
export function isSealed(files: Files): boolean {
  for (const [name, bytes] of files) {
    if (!name.endsWith('.idx')) continue;
    const data = files.get(name.replace(/idx$/, 'arrow')) ?? new Uint8Array(0);
    const { entries, badLines } = parseIndex(new TextDecoder().decode(bytes));
    if (badLines > 0 || entries.some((entry) => !fits(entry, data))) return false;
  }
  return true;
}

const fits = ({ offset, length, crc }: IndexEntry, data: Uint8Array) =>
  crc32(data.subarray(offset, offset + length)) === crc;

type Messages = { kind: IndexEntry['kind']; rows: number; bytes: Uint8Array }[];

function messagesOf(files: Files, table: string): Messages {
  const data = files.get(`${table}.arrow`)!;
  const { entries } = parseIndex(new TextDecoder().decode(files.get(`${table}.idx`)));
  return entries.map(({ kind, offset, length, rows }) => ({
    kind,
    rows,
    bytes: data.subarray(offset, offset + length),
  }));
}

function seal(files: Map<string, Uint8Array>, table: string, messages: Messages): void {
  let offset = 0;
  const lines = messages.map(({ kind, rows, bytes }) => {
    const line = formatEntry({ kind, offset, length: bytes.length, rows, crc: crc32(bytes) });
    offset += bytes.length;
    return line;
  });
  files.set(`${table}.arrow`, new Uint8Array(Buffer.concat(messages.map(({ bytes }) => bytes))));
  files.set(`${table}.idx`, new TextEncoder().encode(lines.join('')));
}

/** Cells of one or a few columns become others, or change places. */
function editValues(files: Map<string, Uint8Array>, table: string, random: Random): void {
  const messages = messagesOf(files, table);
  const [schema, ...batches] = messages;
  if (!schema || batches.length === 0) return;
  const at = Math.floor(random() * batches.length);
  try {
    const { spec, batches: decoded } = decodeStream(table, [schema.bytes, batches[at]!.bytes]);
    const batch = withOtherCells(decoded[0]!, random);
    const bytes = new ArrowEncoder(spec).encode(batch);
    messages[at + 1] = { kind: 'batch', rows: batch.rows, bytes };
    seal(files, table, messages);
  } catch {
    // An earlier change has left it unreadable: no cells to be found.
  }
}

function withOtherCells(batch: Batch, random: Random): Batch {
  const columns = [...batch.columns];
  for (let n = 1 + Math.floor(random() * 3); n > 0; n--) {
    // The first column is the time, or what others refer to.
    const at = random() < 0.3 ? 0 : Math.floor(random() * columns.length);
    columns[at] = withOthers(columns[at]!, random);
  }
  return { rows: batch.rows, columns };
}

function withOthers(column: ColumnData, random: Random): ColumnData {
  const copy = column.slice() as ColumnData;
  const row = Math.floor(random() * copy.length);
  const roll = random();
  if (copy.length > 1 && roll < 0.1) {
    const other = Math.floor(random() * copy.length);
    [copy[row], copy[other]] = [copy[other]!, copy[row]!];
  } else if (roll < 0.15) (copy as unknown[]).fill(copy[row], row);
  else if (roll < 0.18) copy.reverse();
  else if (copy.length > 0) (copy as unknown[])[row] = otherCell(copy, row, random);
  return copy;
}

function otherCell(column: ColumnData, row: number, random: Random): number | bigint | string {
  const value = column[row]!;
  if (typeof value === 'string') return otherText(random, value);
  if (typeof value === 'bigint') return otherLong(random, value);
  if (column instanceof Float64Array) return otherNumber(random, value);
  return otherWord(random, column instanceof Uint8Array ? 8 : 32, value);
}

/** A stream without an index, as other tools write and read it. */
export const editArrow: Edit = (bytes, random) => {
  try {
    const { spec, batches } = decodeStream('stream', [bytes]);
    const encoder = new ArrowEncoder(spec);
    const at = Math.floor(random() * batches.length);
    const others = batches.map((batch, i) => (i === at ? withOtherCells(batch, random) : batch));
    const messages = others.map((batch) => encoder.encode(batch));
    return new Uint8Array(Buffer.concat([encoder.schemaBytes, ...messages]));
  } catch {
    return bytes;
  }
};

/** The bytes of a message, its header among them, with a sum that fits them. */
function editMessage(files: Map<string, Uint8Array>, table: string, random: Random): void {
  const messages = messagesOf(files, table);
  if (messages.length === 0) return;
  const at = Math.floor(random() * messages.length);
  const { kind, rows, bytes } = messages[at]!;
  messages[at] = { kind, rows, bytes: mutate(bytes, random, pick(random, messages).bytes) };
  if (random() < 0.1) messages.push(pick(random, messages));
  seal(files, table, messages);
}

/** Lines of the index say other places, with sums that fit what is there. */
function editIndex(files: Map<string, Uint8Array>, table: string, random: Random): void {
  const data = files.get(`${table}.arrow`)!;
  const { entries } = parseIndex(new TextDecoder().decode(files.get(`${table}.idx`)));
  if (entries.length === 0) return;
  const at = Math.floor(random() * entries.length);
  const near = (value: number) => {
    const other = random() < 0.5 ? value : otherNumber(random, value);
    return Number.isFinite(other) ? Math.abs(Math.trunc(other)) : value;
  };
  const entry = entries[at]!;
  const [offset, length] = [near(entry.offset), near(entry.length)];
  const crc = crc32(data.subarray(offset, Math.min(data.length, offset + length)));
  entries[at] = { ...entry, offset, length, rows: near(entry.rows), crc };
  if (random() < 0.2) entries.splice(Math.floor(random() * entries.length), 1);
  if (random() < 0.2) entries.push(pick(random, entries) ?? entry);
  files.set(`${table}.idx`, new TextEncoder().encode(entries.map(formatEntry).join('')));
}
