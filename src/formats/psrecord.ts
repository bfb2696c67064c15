import { MiB } from '../base/bytes.ts';
import { FormatError } from '../base/errors.ts';
import { SECOND_NS } from '../base/time.ts';
import { RecordingBuilder } from '../model/builder.ts';
import { plainRows } from '../model/plain.ts';
import type { Recording } from '../model/recording.ts';
import { TABLES } from '../model/schema.ts';
import type { Format } from './format.ts';
import { headText, type Input } from './input.ts';
import { countBack } from './sample-clock.ts';

/**
 * psrecord's log, plain or CSV: seconds, processor percent, resident and virtual size. What it
 * calls MB are MiB. With --include-children the sizes are sums over the tree, which it does not say.
 */
export const psrecord: Format = {
  id: 'psrecord',
  title: "psrecord's log",
  extensions: [],
  sniff: (head) => headerOf(headText(head).split('\n', 1)[0]!) !== null,
  read: readPsrecord,
};

interface Header {
  readonly separator: RegExp;
  readonly columns: number;
  readonly rss: number;
}

const PLAIN =
  /^#\s+Elapsed time\s+CPU \(%\)\s+Real \(MB\)\s+Virtual \(MB\)(\s+Read count\s+.*Write bytes)?\s*$/;
const CSV =
  /^elapsed_time,nproc,cpu,mem_real,mem_virtual(,read_count,write_count,read_bytes,write_bytes)?\s*$/;

function headerOf(line: string): Header | null {
  const plain = PLAIN.exec(line);
  if (plain) return { separator: /\s+/, columns: plain[1] ? 8 : 4, rss: 2 };
  const csv = CSV.exec(line);
  return csv && { separator: /,/, columns: csv[1] ? 9 : 5, rss: 3 };
}

/** psrecord does not tell the pid. */
const PID = 0;
const NUMBER = /^\d{1,15}(?:\.\d{1,20})?(?:e-\d{1,3})?$/;

function readPsrecord(input: Input): Recording {
  const builder = new RecordingBuilder({ id: `psrecord:${input.name}`, name: input.name });
  const push = plainRows(builder, TABLES.process);
  let header: Header | null = null;
  let number = 0;
  let first = 0;
  let last = -1;
  for (const raw of input.lines({ keepEnds: true })) {
    number++;
    const line = raw.trim();
    if (line === '') continue;
    const place = `${input.name}, line ${number}`;
    if (!header) {
      header = headerOf(raw.replace(/\r?\n$/, ''));
      if (!header) throw new FormatError(`${place}: no header of psrecord`);
      continue;
    }
    if (!raw.endsWith('\n')) {
      builder.warn(
        `line ${number} of ${input.name}, the last, has no line end: dropped as cut off`,
      );
      break;
    }
    const cells = line.split(header.separator);
    if (cells.length !== header.columns || !cells.every((cell) => NUMBER.test(cell))) {
      throw new FormatError(`${place}: '${line.slice(0, 60)}' is no row of psrecord`);
    }
    const ns = Math.round(Number(cells[0]) * SECOND_NS);
    if (ns > 1e18) throw new FormatError(`${place}: ${cells[0]} is no time in seconds`);
    if (ns < last) throw new FormatError(`${place}: its time is before that of the line above`);
    if (last < 0) first = ns;
    last = ns;
    push([ns, PID, Number(cells[header.rss]) * MiB, null, null, null, null, null, null, 0]);
  }
  if (last < 0) throw new FormatError(`${input.name} has no whole row`);
  plainRows(builder, TABLES.processes)([PID, null, 0, '', '', 'main', null, first, last]);
  countBack(builder.run, last / SECOND_NS, input.hints);
  return builder.build();
}
