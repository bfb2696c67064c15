import { KiB, MiB } from '../../base/bytes.ts';
import { FormatError } from '../../base/errors.ts';
import { RecordingBuilder } from '../../model/builder.ts';
import type { Recording } from '../../model/recording.ts';
import { hostUsed } from '../../model/series.ts';
import type { Format } from '../format.ts';
import { headText, type Input } from '../input.ts';
import { isUnixTime, SampleClock } from '../sample-clock.ts';
import { type FreeRow, FreeRows, freeRow } from './free-rows.ts';
import { freeTables } from './free-table.ts';

/**
 * The log of the Caffe leak test: outputs of `free` in KiB, each with its time glued before the
 * header and the sampler's own bytes below it. Versions of `free` since 2014 have other columns and
 * no row `-/+ buffers/cache`; such a log is read by those columns.
 */
export const freeLog: Format = {
  id: 'free-log',
  title: "the Caffe leak test's log of free, with times",
  extensions: [],
  only: 'host',
  sniff: (head) =>
    /^\s*\d{9,11}(?:\.\d{0,9})?[ \t]+total[ \t]+used[ \t]+free[ \t]/.test(headText(head)),
  read: readFreeLog,
  write: writeFreeLog,
};

/** A machine with less has no memory to profile: the numbers were not KiB. */
const MIN_TOTAL = 16 * MiB;

function readFreeLog(input: Input): Recording {
  const builder = new RecordingBuilder({ id: `free-log:${input.name}`, name: input.name });
  const rows: FreeRow[] = [];
  const times: number[] = [];
  const cut = (line: number) =>
    builder.warn(`the record at line ${line} of ${input.name}, the last, is cut off: dropped`);
  for (const table of freeTables(input, cut)) {
    const place = `${input.name}, line ${table.line}`;
    const time = Number(table.glued ?? Number.NaN);
    if (!isUnixTime(time)) throw new FormatError(`${place}: no time stands before the header`);
    if (time < (times.at(-1) ?? 0)) {
      throw new FormatError(`${place}: its time is before that of the record above`);
    }
    times.push(time);
    rows.push(freeRow(input, table));
  }
  if (rows.length === 0) throw new FormatError(`${input.name} has no whole record of free`);
  const unit = input.hints.unit ?? KiB;
  checkTotal(input, rows, unit);
  const clock = new SampleClock(times[0]!);
  const host = new FreeRows(builder, unit, rows);
  for (const [i, row] of rows.entries()) host.push(clock.ns(times[i]!), row);
  clock.finish(builder.run, times.at(-1)!);
  builder.warn("its figures are the whole system's memory, not one program's");
  return builder.build();
}

function checkTotal(input: Input, rows: readonly FreeRow[], unit: number): void {
  for (const { fields, line } of rows) {
    const total = fields.get('MemTotal');
    if (!total || !('plain' in total) || total.plain * unit >= MIN_TOTAL) continue;
    throw new FormatError(
      `${input.name}, line ${line}: ${total.plain} KiB is no machine's memory`,
      { hint: 'say the unit of its numbers: --unit MiB' },
    );
  }
}

const HEADER = '             total       used       free     shared    buffers     cached';
const ROWS_A_PIECE = 256;

/** What was not measured is written as `-`; the free memory of the second row follows from the used. */
function* writeFreeLog(recording: Recording): Generator<string> {
  const host = recording.table('host');
  const started = Date.parse(recording.run.startedAt);
  if (!(started > 0)) {
    throw new FormatError(
      'the recording does not say when it was, and a free-log is made of dates',
    );
  }
  const times = host.f64('time');
  const used = hostUsed(host);
  const own = host.f64('recorder_anon');
  const [total, free, shared, buffers, cached, swapTotal, swapFree] = [
    'MemTotal',
    'MemFree',
    'Shmem',
    'Buffers',
    'Cached',
    'SwapTotal',
    'SwapFree',
  ].map((name) => host.f64(name)) as [Column, Column, Column, Column, Column, Column, Column];
  let piece = '';
  for (let i = 0; i < host.rows; i++) {
    const mem = [total[i]!, total[i]! - free[i]!, free[i]!, shared[i]!, buffers[i]!, cached[i]!];
    const swap = [swapTotal[i]!, swapTotal[i]! - swapFree[i]!, swapFree[i]!];
    piece += `${timeText(started, times[i]!)}${HEADER}\n`;
    piece += `Mem:    ${numbers(mem)}\n`;
    piece += `-/+ buffers/cache: ${numbers([used[i]!, total[i]! - used[i]!])}\n`;
    piece += `Swap:   ${numbers(swap)}\n`;
    piece += `${Number.isNaN(own[i]!) ? '-' : Math.round(own[i]!)}\n`;
    if ((i + 1) % ROWS_A_PIECE !== 0) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}

type Column = Float64Array;

/** Ten wide with a blank between, as free printed KiB; texts of eleven and more push on. */
function numbers(values: readonly number[]): string {
  return values
    .map((bytes) => (Number.isNaN(bytes) ? '-' : String(Math.round(bytes / KiB))).padStart(10))
    .join(' ');
}

/** Seconds with microseconds at most, and no zeros at their end: as PHP printed them. */
function timeText(startedMs: number, ns: number): string {
  const micros = startedMs * 1000 + Math.round(ns / 1000);
  const seconds = Math.floor(micros / 1e6);
  const fraction = String(micros - seconds * 1e6).padStart(6, '0');
  return `${seconds}.${fraction}`.replace(/\.?0+$/, '');
}
