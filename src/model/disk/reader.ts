import { FormatError } from '../../base/errors.ts';
import { count } from '../../base/text.ts';
import { ArrowEncoder, decodeStream } from '../arrow.ts';
import { makeRecording, type Recording, TABLE_NAMES } from '../recording.ts';
import { newRun, type RunInfo } from '../run.ts';
import { type TableName, tableSpec } from '../schema.ts';
import { Table } from '../table.ts';
import { upgradeRun } from '../upgrade.ts';
import type { Files } from './files.ts';
import { type IndexEntry, parseIndex, verify } from './index-file.ts';

/** Opens a recording; what is cut or damaged is left out and said in `damage`. */
export function openRecording(files: Files): Recording {
  const damage: string[] = [];
  const names = new Set(files.list());
  const tables = TABLE_NAMES.filter((name) => names.has(`${name}.arrow`));
  if (!names.has('run.json') && tables.length === 0) {
    throw new FormatError(`${files.place} is not a recording: it has no run.json`);
  }
  const run = readRun(files, damage);
  return makeRecording(run, tables, (name) => readTable(files, name, damage), damage);
}

function readRun(files: Files, damage: string[]): RunInfo {
  const bytes = files.read('run.json');
  try {
    const parsed: unknown = JSON.parse(new TextDecoder().decode(bytes ?? new Uint8Array()));
    if (typeof parsed !== 'object' || parsed === null) throw new SyntaxError('not an object');
    return { ...newRun({ id: '', name: '' }), ...upgradeRun(parsed as Record<string, unknown>) };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    damage.push('run.json is damaged: name, command and exit of this run are lost');
    return newRun({ id: 'unknown', name: 'unknown' });
  }
}

function readTable(files: Files, name: TableName, damage: string[]): Table {
  const index = files.read(`${name}.idx`);
  if (!index) {
    damage.push(`table ${name} has no index (${name}.idx) and cannot be trusted: left out`);
    return new Table(tableSpec(name), []);
  }
  const interrupted = files.read(`${name}.idx.new`) === null && files.read(`${name}.arrow.new`);
  const data = interrupted || files.read(`${name}.arrow`) || new Uint8Array();
  const { entries, badLines } = parseIndex(new TextDecoder().decode(index));
  const batches = entries.filter((entry) => entry.kind === 'batch');
  const whole = batches.filter((entry) => verify(entry, data));
  reportLoss(name, badLines, batches, whole, damage);

  const schemaEntry = entries.find((entry) => entry.kind === 'schema');
  const schema =
    schemaEntry && verify(schemaEntry, data)
      ? slice(data, schemaEntry)
      : rebuiltSchema(name, damage);
  if (!schema) return new Table(tableSpec(name), []);
  const { spec, batches: decoded } = decodeStream(name, joinNeighbours(schema, whole, data));
  return new Table(spec, decoded);
}

function reportLoss(
  name: TableName,
  badLines: number,
  batches: readonly IndexEntry[],
  whole: readonly IndexEntry[],
  damage: string[],
): void {
  const lost = batches.length - whole.length + badLines;
  if (lost === 0) return;
  const sum = (entries: readonly IndexEntry[]) => entries.reduce((n, entry) => n + entry.rows, 0);
  const rows = sum(batches) - sum(whole);
  const unknown = badLines > 0 ? ` and those of ${count(badLines, 'unreadable index line')}` : '';
  damage.push(
    `table ${name}: ${count(lost, 'batch', 'batches')} damaged or cut off, ` +
      `${count(rows, 'row')}${unknown} lost, ${count(sum(whole), 'row')} kept`,
  );
}

/** The schema of all tables but `host` is known without the file; host's fields are the kernel's. */
function rebuiltSchema(name: TableName, damage: string[]): Uint8Array | null {
  if (name !== 'host') {
    damage.push(`table ${name}: its schema was damaged and rebuilt`);
    return new ArrowEncoder(tableSpec(name)).schemaBytes;
  }
  damage.push('table host: its schema is damaged, the table is lost');
  return null;
}

const slice = (data: Uint8Array, entry: IndexEntry) =>
  data.subarray(entry.offset, entry.offset + entry.length);

/** Messages that follow each other in the file as one piece, so that a whole table is not copied. */
function joinNeighbours(
  schema: Uint8Array,
  entries: readonly IndexEntry[],
  data: Uint8Array,
): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  let start = schema.buffer === data.buffer ? schema.byteOffset - data.byteOffset : -1;
  let end = start + schema.length;
  if (start < 0) pieces.push(schema);
  for (const entry of entries) {
    if (start >= 0 && entry.offset === end) {
      end += entry.length;
      continue;
    }
    if (start >= 0) pieces.push(data.subarray(start, end));
    start = entry.offset;
    end = entry.offset + entry.length;
  }
  if (start >= 0) pieces.push(data.subarray(start, end));
  return pieces;
}
