import { MiB } from '../base/bytes.ts';
import { FormatError } from '../base/errors.ts';
import { redactArgv } from '../base/secrets/index.ts';
import { RecordingBuilder } from '../model/builder.ts';
import { plainRows } from '../model/plain.ts';
import type { Recording } from '../model/recording.ts';
import { TABLES, TIME_FROM } from '../model/schema.ts';
import type { Format } from './format.ts';
import { headText, type Input } from './input.ts';
import { isUnixTime, SampleClock } from './sample-clock.ts';

/**
 * What `mprof run` of memory_profiler writes: resident MiB of a process at a time (`MEM`), of its
 * children (`CHLD`, after the MEM of the same sample), and calls of functions (`FUNC`).
 */
export const mprof: Format = {
  id: 'mprof',
  title: "memory_profiler's mprof .dat",
  extensions: ['.dat'],
  sniff: (head) =>
    /^(?:CMDLINE [^\n]*\r?\n)?(?:MEM|FUNC|CHLD|CMDLINE) (?:\S+ )?\d+\.\d+ \d{9,11}\.\d/.test(
      headText(head),
    ) || /^CMDLINE [^\n]*\r?\n$/.test(headText(head)),
  read: readMprof,
};

const NUMBER = String.raw`(\d{1,9}(?:\.\d{1,9})?)`;
const TIME = String.raw`(\d{9,11}(?:\.\d{1,9})?)`;
const MEM = new RegExp(`^MEM ${NUMBER} ${TIME}$`);
const CHILD = new RegExp(`^CHLD (\\d{1,10}) ${NUMBER} ${TIME}$`);
const FUNCTION = new RegExp(
  `^FUNC (\\S{1,300}) ${NUMBER} ${TIME} ${NUMBER} ${TIME}(?: \\d{1,6})?$`,
);

interface Found {
  command: string | null;
  /** null: the program itself. */
  samples: { time: number; child: number | null; bytes: number }[];
  calls: { time: number; name: string }[];
}

function readMprof(input: Input): Recording {
  const builder = new RecordingBuilder({ id: `mprof:${input.name}`, name: input.name });
  const { command, samples, calls } = readLines(input, builder);
  if (samples.length === 0) throw new FormatError(`${input.name} has no whole MEM line`);
  calls.sort((a, b) => a.time - b.time);
  const last = Math.max(samples.at(-1)!.time, calls.at(-1)?.time ?? 0);
  const clock = new SampleClock(Math.min(samples[0]!.time, calls[0]?.time ?? samples[0]!.time));
  const children = [...new Set(samples.flatMap(({ child }) => child ?? []))];
  // mprof does not tell the program's own pid; older versions number children from 0.
  const main = children.includes(0) ? children.reduce((a, b) => Math.max(a, b), 0) + 1 : 0;
  const rows = plainRows(builder, TABLES.process);
  const seen = new Map<number, [number, number]>();
  for (const { time, child, bytes } of samples) {
    const pid = child ?? main;
    const ns = clock.ns(time);
    seen.set(pid, [seen.get(pid)?.[0] ?? ns, ns]);
    rows([ns, pid, bytes, null, null, null, null, null, null, 0]);
  }
  const argv = redactArgv((command ?? '').split(' ').filter(Boolean));
  const processes = plainRows(builder, TABLES.processes);
  for (const [pid, [first, end]] of seen) {
    const role = pid === main ? 'main' : `worker ${children.indexOf(pid) + 1}`;
    const words = pid === main ? argv.join(' ') : '';
    const name = pid === main ? (argv[0]?.split('/').at(-1) ?? '') : '';
    processes([pid, null, pid === main ? 0 : main, words, name, role, null, first, end]);
  }
  const marks = plainRows(builder, TABLES.marks);
  for (const { time, name } of calls) {
    marks([clock.ns(time), TIME_FROM.line, null, null, 'phase', name, null, null, null]);
  }
  clock.finish(builder.run, last);
  builder.run.argv = argv;
  builder.run.rootPid = main === 0 ? null : main;
  return builder.build();
}

function readLines(input: Input, builder: RecordingBuilder): Found {
  const found: Found = { command: null, samples: [], calls: [] };
  let number = 0;
  for (const raw of input.lines({ keepEnds: true })) {
    number++;
    const line = raw.replace(/\r?\n$/, '');
    if (line === '') continue;
    if (line === raw) {
      builder.warn(
        `line ${number} of ${input.name}, the last, has no line end: dropped as cut off`,
      );
      break;
    }
    readLine(`${input.name}, line ${number}`, line, found);
  }
  return found;
}

function readLine(place: string, line: string, found: Found): void {
  const { samples, calls } = found;
  if (line.startsWith('CMDLINE ')) {
    if (found.command !== null || samples.length > 0) {
      throw new FormatError(`${place}: a second run begins here`, {
        hint: 'mprof appends to a file that exists: cut it there',
      });
    }
    found.command = line.slice('CMDLINE '.length);
    return;
  }
  const mem = MEM.exec(line);
  if (mem) {
    const time = checked(place, mem[2]!, samples.at(-1)?.time);
    samples.push({ time, child: null, bytes: Number(mem[1]) * MiB });
    return;
  }
  const child = CHILD.exec(line);
  const sample = samples.at(-1);
  if (child && sample && Number(child[1]) < 2 ** 32 - 1) {
    // Read a moment after the program itself, but one sample: a sum over the tree needs one time.
    samples.push({ time: sample.time, child: Number(child[1]), bytes: Number(child[2]) * MiB });
    return;
  }
  const call = FUNCTION.exec(line);
  if (!call) throw new FormatError(`${place}: '${line.slice(0, 60)}' is no line of mprof here`);
  calls.push({ name: call[1]!, time: checked(place, call[3]!, undefined) });
}

function checked(place: string, text: string, before: number | undefined): number {
  const time = Number(text);
  if (!isUnixTime(time)) throw new FormatError(`${place}: ${text} is no time`);
  if (before !== undefined && time < before) {
    throw new FormatError(`${place}: its time is before that of the line above`);
  }
  return time;
}
