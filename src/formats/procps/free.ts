import { FormatError } from '../../base/errors.ts';
import { SECOND_NS } from '../../base/time.ts';
import { RecordingBuilder } from '../../model/builder.ts';
import type { Recording } from '../../model/recording.ts';
import type { Format } from '../format.ts';
import { headText, type Input } from '../input.ts';
import { type LineStamp, placeStamps } from '../log-lines/index.ts';
import { countBack, isUnixTime, SampleClock } from '../sample-clock.ts';
import { type FreeRow, FreeRows, freeRow, plainNumbers } from './free-rows.ts';
import { freeTables } from './free-table.ts';
import { UnitFinder } from './unit.ts';

/** Outputs of `free`, old and new, one or many (`free -s 1`), also with `date` before each. */
export const free: Format = {
  id: 'free',
  title: 'outputs of free',
  extensions: [],
  sniff: (head) =>
    /^(?:[^\n]{0,80}\n){0,2}[ \t]+total[ \t]+used[ \t]+free[ \t]+shared[ \t]/.test(headText(head)),
  read: readFree,
};

const ASSUMED_INTERVAL = 1;

function readFree(input: Input): Recording {
  const builder = new RecordingBuilder({ id: `free:${input.name}`, name: input.name });
  const rows: FreeRow[] = [];
  const stamps: LineStamp[] = [];
  const cut = (line: number) =>
    builder.warn(`the table at line ${line} of ${input.name}, the last, is cut off: dropped`);
  for (const table of freeTables(input, cut)) {
    const place = `${input.name}, line ${table.line}`;
    if (table.glued) throw new FormatError(`${place}: a time before the header, here only`);
    if (table.stamp) stamps.push(table.stamp);
    rows.push(freeRow(input, table));
    if (stamps.length > 0 && stamps.length !== rows.length) {
      throw new FormatError(`${place}: no time is given for this table, but for others`);
    }
  }
  if (rows.length === 0) throw new FormatError(`${input.name} has no whole table of free`);
  const host = new FreeRows(builder, unitOf(input, rows), rows);
  const times = stamps.length > 0 ? stamped(input, builder, stamps) : paced(input, builder, rows);
  for (const [i, row] of rows.entries()) host.push(times[i]!, row);
  builder.warn("its figures are the whole system's memory, not one program's");
  return builder.build();
}

function unitOf(input: Input, rows: readonly FreeRow[]): number {
  if (input.hints.unit !== undefined) return input.hints.unit;
  const finder = new UnitFinder();
  let first = 0;
  for (const row of rows) {
    for (const { plain, line } of plainNumbers(row)) {
      first ||= line;
      finder.see(plain, line);
    }
  }
  return first === 0 ? 1 : finder.decide(input.name, first, 'free');
}

function stamped(input: Input, builder: RecordingBuilder, stamps: readonly LineStamp[]): number[] {
  const { modified, timeZone } = input.hints;
  const fileTime = modified ?? Date.now() / 1000;
  const times = placeStamps(stamps, { fileTime, timeZone });
  if (!times.every(isUnixTime)) throw new FormatError(`${input.name}: its times are no dates`);
  const clock = new SampleClock(times[0]!);
  const back = times.findIndex((time, i) => i > 0 && time < times[i - 1]!);
  if (back >= 0) {
    throw new FormatError(`${input.name}: the time of table ${back + 1} is before the one above`);
  }
  clock.finish(builder.run, times.at(-1)!);
  return Array.from(times, (time) => clock.ns(time));
}

/** Tables without times: one after the other, as far apart as the user says. */
function paced(input: Input, builder: RecordingBuilder, rows: readonly FreeRow[]): number[] {
  const { interval } = input.hints;
  const step = interval ?? ASSUMED_INTERVAL;
  if (interval === undefined && rows.length > 1) {
    builder.warn(
      `${input.name} has no times: taken as ${step} s apart (--interval says otherwise)`,
    );
  }
  countBack(builder.run, (rows.length - 1) * step, input.hints);
  return rows.map((_, i) => Math.round(i * step * SECOND_NS));
}
