import { statSync } from 'node:fs';
import { lastUpTo } from '../../base/search.ts';
import { count } from '../../base/text.ts';
import { makeRecording, type Recording } from '../recording.ts';
import type { TableName } from '../schema.ts';
import { fixedSeriesOf, type Series, series, seriesOfTable } from '../series.ts';
import { Table, TableBuffer } from '../table.ts';
import { folderFiles } from './files.ts';
import { FOLDED_TABLES, TableFold } from './fold.ts';
import { openThrough, readTable } from './reader.ts';
import { tablePaths } from './table-file.ts';
import { type StreamedTable, streamTable, tablePieces } from './table-stream.ts';

/** All samples of a recording, of which not all need be in memory at once. */
export interface Samples {
  /** Rows that a table has. */
  rows(name: TableName): number;
  /** A series at the rate that it was recorded, in order, a piece at a time. */
  pieces(name: string): Iterable<Series>;
}

/** Those of a recording that is in memory. */
export const samplesInMemory = (recording: Recording): Samples => ({
  rows: (name) => recording.table(name).rows,
  *pieces(name) {
    const whole = series(recording, name);
    if (whole) yield whole;
  },
});

/** A recording that is larger than one would want to have in memory. */
export interface LongRecording {
  /**
   * Its tables of samples folded to what analyses need, as `--max-disk` folds: whole samples at which a series was lowest,
   * highest or last of each stretch of time, and those of the first second.
   */
  readonly recording: Recording;
  readonly samples: Samples;
}

/** Of the size that is allowed, what folded samples may take: columns are joined, and series made of them. */
const SHARE = 0.5;
/** Samples of each stretch that are kept at most: the lowest and the highest of each of eight series, and the last. */
const KEPT = 17;
const HEAD_NS = 1e9;

/** null: its samples take no more than `mostBytes`, or they are damaged, which the ordinary reader knows how to read. */
export function openLong(folder: string, mostBytes: number): LongRecording | null {
  const bytes = FOLDED_TABLES.reduce((sum, name) => sum + sizeOf(folder, name), 0);
  if (bytes <= mostBytes) return null;
  const files = folderFiles(folder);
  const folded = new Map<TableName, Table>();
  const rows = new Map<TableName, number>();
  const recording = openThrough(
    files,
    (name, damage) =>
      folded.get(name) ?? wholeTable(folder, name) ?? readTable(files, name, damage),
    true,
  );
  const strays: string[] = [];
  const present = FOLDED_TABLES.filter((name) => recording.tables.includes(name));
  for (const name of present) {
    const most = mostBytes * SHARE * (sizeOf(folder, name) / bytes);
    const found = foldedTable(folder, name, recording, most);
    if (!found) return null;
    folded.set(name, found.table);
    rows.set(name, found.rows);
    if (found.strayBytes > 0) strays.push(strayWords(name, found));
  }
  (recording.damage as string[]).push(...strays);
  return { recording, samples: samplesOn(folder, recording, rows) };
}

const sizeOf = (folder: string, name: TableName): number =>
  statSync(tablePaths(folder, name)[0], { throwIfNoEntry: false })?.size ?? 0;

const strayWords = (name: string, { strayBytes, rows }: { strayBytes: number; rows: number }) =>
  `table ${name}: ${count(strayBytes, 'byte')} that no index line vouches for left out, ${count(rows, 'row')} kept`;

function samplesOn(
  folder: string,
  recording: Recording,
  rows: ReadonlyMap<TableName, number>,
): Samples {
  return {
    rows: (name) => rows.get(name) ?? recording.table(name).rows,
    *pieces(name) {
      const table = tableOf(name);
      if (!table) {
        yield* samplesInMemory(recording).pieces(name);
        return;
      }
      for (const piece of tablePieces(folder, table)) {
        const part = series(withTable(recording, table, piece), name);
        if (part) yield part;
      }
    },
  };
}

/** As one batch: a table with a row at each flush is mostly headers, and each would be a dozen objects in memory. */
function wholeTable(folder: string, name: TableName): Table | null {
  let all: TableBuffer | null = null;
  const found = streamTable(folder, name, ({ spec, batches: [piece] }) => {
    all ??= new TableBuffer(spec, 1024);
    all.append(piece!.columns, 0, piece!.rows);
  });
  const read = all as TableBuffer | null;
  return found && read && found.strayBytes === 0 ? new Table(read.spec, [read.view()]) : null;
}

/** Reads the table twice: how long a stretch may be is known only then. */
function foldedTable(
  folder: string,
  name: TableName,
  recording: Recording,
  mostBytes: number,
): (StreamedTable & { readonly table: Table }) | null {
  const seen = { samples: 0, first: Number.NaN, last: Number.NaN };
  const found = streamTable(folder, name, (piece) => {
    for (const time of piece.f64('time')) {
      if (time !== seen.last) seen.samples++;
      seen.last = time;
      if (Number.isNaN(seen.first)) seen.first = time;
    }
  });
  if (!found || found.rows === 0) return found && { ...found, table: new Table(found.spec, []) };
  const stretches = (seen.samples * mostBytes) / sizeOf(folder, name) / KEPT;
  const stretchNs = (seen.last - seen.first) / Math.max(1, stretches);
  const kept = new TableBuffer(found.spec, 1024);
  const fold = new TableFold(
    name,
    found.spec,
    stretchNs,
    ({ columns, rows }) => kept.append(columns, 0, rows),
    (table) => seriesWithin(withTable(recording, name, table), name),
  );
  for (const piece of tablePieces(folder, name)) {
    const head = lastUpTo(piece.f64('time'), seen.first + HEAD_NS) + 1;
    const { columns, rows } = piece.batches[0]!;
    kept.append(columns, 0, head);
    fold.add({ rows: rows - head, columns: columns.map((column) => column.slice(head)) });
  }
  fold.end();
  return { ...found, table: new Table(found.spec, [kept.view()]) };
}

/** As analyses will see them: without what our agent held, and of the workload's processes alone. */
function seriesWithin(part: Recording, name: TableName): Series[] {
  // The kernel's exact peak counts as well, which is no series of its own.
  if (name === 'device_group') return seriesOfTable(name, part.table(name));
  const names =
    name === 'gpu_process'
      ? [...new Set(part.table(name).u32('gpu'))].map((gpu) => `gpu${gpu}.tree`)
      : fixedSeriesOf(name);
  const found = names.flatMap((one) => series(part, one) ?? []);
  if (name !== 'host') return found;
  const [times, own] = [part.table(name).f64('time'), part.table(name).f64('recorder_anon')];
  return [...found, { name: 'recorder', times, values: own.map((bytes) => bytes || 0) }];
}

/** Which of the folded tables a series is made of. */
function tableOf(name: string): (typeof FOLDED_TABLES)[number] | null {
  if (/^gpu\d+\.used$/.test(name)) return 'gpu';
  if (/^gpu\d+\.tree$/.test(name)) return 'gpu_process';
  if (name.startsWith('dmem.')) return 'device_group';
  return FOLDED_TABLES.find((table) => fixedSeriesOf(table).includes(name)) ?? null;
}

/** The recording with other rows of one table: who was there, and what agents told, is of all of it. */
const withTable = (recording: Recording, name: TableName, rows: Table): Recording =>
  makeRecording(recording.run, recording.tables, (other) =>
    other === name ? rows : recording.table(other),
  );
