import { FormatError } from '../../base/errors.ts';
import { RecordingBuilder } from '../../model/builder.ts';
import type { Recording } from '../../model/recording.ts';
import type { Format } from '../format.ts';
import { headText, type Input } from '../input.ts';
import type { LineStamp } from '../log-lines/index.ts';
import { type FreeRow, FreeRows, freeRow, plainNumbers } from './free-rows.ts';
import { freeTables } from './free-table.ts';
import { pacedTimes, stampedTimes } from './table-times.ts';
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
  const times =
    stamps.length > 0
      ? stampedTimes(input, builder, stamps)
      : pacedTimes(input, builder, rows.length);
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
