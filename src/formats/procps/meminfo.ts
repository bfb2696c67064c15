import { KiB } from '../../base/bytes.ts';
import { FormatError } from '../../base/errors.ts';
import { RecordingBuilder } from '../../model/builder.ts';
import type { Recording } from '../../model/recording.ts';
import type { Format } from '../format.ts';
import { headText, type Input } from '../input.ts';
import { type LineStamp, lineStamp } from '../log-lines/index.ts';
import { pacedTimes, stampedTimes } from './table-times.ts';

/** `cat /proc/meminfo`, once or again and again, also with `date` before each. */
export const meminfo: Format = {
  id: 'meminfo',
  title: 'outputs of cat /proc/meminfo',
  extensions: [],
  sniff: (head) =>
    /^(?:[^\n]{0,80}\n){0,2}MemTotal: +\d+ kB\r?\nMemFree: +\d+ kB\r?\n/.test(headText(head)),
  read: readMeminfo,
};

const FIRST = 'MemTotal';
const FIELD = /^([A-Z][A-Za-z0-9_]{0,40}(?:\([a-z]{1,10}\))?): +(\d{1,16})( kB)?$/;

interface Reading {
  readonly line: number;
  readonly fields: Map<string, number>;
}

function readMeminfo(input: Input): Recording {
  const builder = new RecordingBuilder({ id: `meminfo:${input.name}`, name: input.name });
  const readings: Reading[] = [];
  const stamps: LineStamp[] = [];
  let number = 0;
  let cut = false;
  for (const raw of input.lines({ keepEnds: true })) {
    number++;
    const line = raw.trimEnd();
    cut = !raw.endsWith('\n');
    if (line === '' || cut) continue;
    const place = `${input.name}, line ${number}`;
    const field = FIELD.exec(line);
    const last = readings.at(-1);
    if (!field) {
      const stamp = lineStamp(line);
      if (!stamp || stamps.length > readings.length)
        throw new FormatError(`${place}: '${line.slice(0, 60)}' is no line of /proc/meminfo`);
      stamps.push(stamp);
    } else if (field[1] === FIRST) {
      if (stamps.length > 0 && stamps.length !== readings.length + 1)
        throw new FormatError(`${place}: no time is given for this reading, but for others`);
      readings.push({ line: number, fields: new Map() });
    } else if (!last || stamps.length > readings.length) {
      throw new FormatError(`${place}: ${field[1]} before ${FIRST}`);
    }
    if (field) readings.at(-1)!.fields.set(field[1]!, Number(field[2]) * (field[3] ? KiB : 1));
  }
  if (cut)
    builder.warn(`line ${number} of ${input.name}, the last, has no line end: dropped as cut off`);
  if (readings.length === 0) throw new FormatError(`${input.name} has no reading of /proc/meminfo`);
  const names = [...new Set(readings.flatMap(({ fields }) => [...fields.keys()]))];
  const host = builder.table('host', names);
  const times =
    stamps.length > 0
      ? stampedTimes(input, builder, stamps.slice(0, readings.length))
      : pacedTimes(input, builder, readings.length);
  for (const [i, { fields }] of readings.entries()) {
    host.push(
      host.spec.columns.map(({ name }) =>
        name === 'time' ? times[i]! : (fields.get(name) ?? null),
      ),
    );
  }
  builder.warn("its figures are the whole system's memory, not one program's");
  return builder.build();
}
