import { isObject } from '../../base/checks.ts';
import { FormatError } from '../../base/errors.ts';
import { count } from '../../base/text.ts';
import { decodeStream } from '../arrow-reader.ts';
import { ArrowEncoder } from '../arrow-writer.ts';
import { makeRecording, type Recording, TABLE_NAMES } from '../recording.ts';
import { newRun, type RunInfo } from '../run.ts';
import { checkRun } from '../run-check.ts';
import { type TableName, type TableSpec, tableSpec } from '../schema.ts';
import { soundTable } from '../sound-table.ts';
import { Table } from '../table.ts';
import { upgradeRun } from '../upgrade.ts';
import type { IndexEntry } from './index-file.ts';
import { readStop } from './read-stop.ts';
import type { Files } from './recording-files.ts';
import { readMessages, type TableMessages } from './table-messages.ts';

const UNKNOWN = 'unknown';

/** Reads a table, and says what is lost of it. */
export type TableReader = (name: TableName, damage: string[]) => Table;

/** Opens a recording; what is cut or damaged is left out and said in `damage`. */
export function openRecording(files: Files): Recording {
  return openThrough(files, (name, damage) => readTable(files, name, damage), false);
}

/** The same through another reader of tables; `known`: rows of it were read before. */
export function openThrough(files: Files, read: TableReader, known: boolean): Recording {
  const damage: string[] = [];
  const names = new Set(files.list());
  const tables = TABLE_NAMES.filter(
    (name) => names.has(`${name}.arrow`) || names.has(`${name}.idx`),
  );
  if (!names.has('run.json') && tables.length === 0) {
    throw new FormatError(`${files.place} is not a recording: it has no run.json`);
  }
  const run = readRun(files, damage);
  if (!known && (run.id === UNKNOWN || isAllLost(files, tables))) refuseNothing(files, tables);
  return makeRecording(run, tables, (name) => read(name, damage), damage);
}

/** Whether a run was measured, and no table has kept a row: what run.json alone says would pass for a report of it. */
function isAllLost(files: Files, tables: readonly TableName[]): boolean {
  let damaged = false;
  // The clock is the smallest of those that every recording has, and mostly answers at once.
  for (const name of tables.toSorted((a, b) => Number(b === 'clock') - Number(a === 'clock'))) {
    try {
      const messages = readMessages(files, name);
      if (messages?.whole.some(({ rows }) => rows > 0)) return false;
      damaged ||= !messages || messages.broken.length + messages.badLines > 0;
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      damaged = true;
    }
  }
  return damaged;
}

/** Something besides run.json must be there to show: no report is of nothing. */
function refuseNothing(files: Files, tables: readonly TableName[]): void {
  const lost: string[] = [];
  if (tables.some((name) => readTable(files, name, lost).rows > 0)) return;
  const why = lost.length > 0 ? `: ${lost[0]}` : '';
  throw new FormatError(`${files.place} is damaged, and nothing of it can be read${why}`);
}

function readRun(files: Files, damage: string[]): RunInfo {
  const json = parseJson(files);
  // Without a version the fields mean nothing; a version that is too new is the reader's failure.
  if (!isObject(json) || !Number.isInteger(json.schemaVersion)) {
    damage.push('run.json is damaged: name, command and exit of this run are lost');
    return newRun({ id: UNKNOWN, name: UNKNOWN });
  }
  const { run, wrong } = checkRun(upgradeRun(json));
  const stopped = run.stopped ?? readStop(files);
  if (stopped) run.stopped = stopped;
  damage.push(...(run.damage ?? []));
  if (wrong.length > 0) damage.push(`run.json is damaged: ${wrong.join(', ')} lost`);
  return run;
}

function parseJson(files: Files): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(files.read('run.json') ?? new Uint8Array()));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof FormatError) return null;
    throw error;
  }
}

export function readTable(files: Files, name: TableName, damage: string[]): Table {
  const lost = (why: string) => {
    damage.push(`table ${name} ${why}: left out`);
    return new Table(tableSpec(name), []);
  };
  try {
    const messages = readMessages(files, name);
    if (!messages) return lost(`has no index (${name}.idx) and cannot be trusted`);
    reportLoss(name, messages, damage);
    const schema = messages.schema ?? rebuiltSchema(name);
    if (!schema) return lost('has a damaged schema');
    if (!messages.schema) damage.push(`table ${name}: its schema was damaged and rebuilt`);
    const { spec, batches } = decodeStream(name, joinNeighbours(schema, messages));
    const misfit = unlikeSpec(name, spec);
    if (misfit) return lost(`has no usable column ${misfit}`);
    const sound = soundTable(new Table(spec, batches));
    damage.push(...sound.damage);
    return sound.table;
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    return lost(`cannot be read (${error.message})`);
  }
}

function reportLoss(name: TableName, messages: TableMessages, damage: string[]): void {
  const { whole, broken, badLines, strayBytes } = messages;
  const lost = broken.length + badLines;
  const sum = (entries: readonly IndexEntry[]) => entries.reduce((n, entry) => n + entry.rows, 0);
  if (lost > 0) {
    const unknown = badLines > 0 ? ` and those of ${count(badLines, 'unreadable index line')}` : '';
    damage.push(
      `table ${name}: ${count(lost, 'batch', 'batches')} damaged or cut off, ` +
        `${count(sum(broken), 'row')}${unknown} lost, ${count(sum(whole), 'row')} kept`,
    );
  } else if (strayBytes > 0) {
    damage.push(
      `table ${name}: ${count(strayBytes, 'byte')} that no index line vouches for left out, ` +
        `${count(sum(whole), 'row')} kept`,
    );
  }
}

/** The schema of all tables but `host` is known without the file; host's fields are the kernel's. */
function rebuiltSchema(name: TableName): Uint8Array | null {
  return name === 'host' ? null : new ArrowEncoder(tableSpec(name)).schemaBytes;
}

/**
 * The first column that is not of the type all code relies on. A missing Float64 column is no
 * misfit: an older recording may lack it, and it reads as null.
 */
export function unlikeSpec(name: TableName, spec: TableSpec): string | null {
  for (const wanted of tableSpec(name).columns) {
    const found = spec.columns.find((column) => column.name === wanted.name);
    const needed = wanted.type !== 'f64' || wanted.name === 'time';
    if (found ? found.type !== wanted.type : needed) return wanted.name;
  }
  return name === 'host' ? (spec.columns.find((c) => c.type !== 'f64')?.name ?? null) : null;
}

/** Messages that follow each other in the file as one piece, so that a whole table is not copied. */
function joinNeighbours(schema: Uint8Array, { data, whole }: TableMessages): Uint8Array[] {
  const pieces: Uint8Array[] = [schema];
  let start = 0;
  let end = 0;
  for (const entry of whole) {
    if (entry.offset !== end || end === 0) {
      if (end > start) pieces.push(data.subarray(start, end));
      start = entry.offset;
    }
    end = entry.offset + entry.length;
  }
  if (end > start) pieces.push(data.subarray(start, end));
  return pieces;
}
