import { formatBytes } from '../../base/bytes.ts';
import { FormatError } from '../../base/errors.ts';
import { SECOND_NS } from '../../base/time.ts';
import { RecordingBuilder } from '../../model/builder.ts';
import type { Recording } from '../../model/recording.ts';
import type { Format } from '../format.ts';
import { headText, type Input } from '../input.ts';
import { type LineStamp, parseStamp, placeStamps, UTC_ZONE } from '../log-lines/index.ts';
import { countBack, isUnixTime, SampleClock } from '../sample-clock.ts';
import { UnitFinder } from './unit.ts';

/** Output of `vmstat N`, also with -t, -w, -a and -S. */
export const vmstat: Format = {
  id: 'vmstat',
  title: 'output of vmstat',
  extensions: [],
  sniff: (head) => /^\s*-{0,2}procs[ -]+memory[ -]/.test(headText(head)),
  read: readVmstat,
};

/** The kernel's names. `swpd` is no field of it: swap in use is only warned of. */
const FIELDS: Readonly<Record<string, string>> = {
  free: 'MemFree',
  buff: 'Buffers',
  cache: 'Cached',
  inact: 'Inactive',
  active: 'Active',
};
const TITLES = /^\s*r\s+b\s+swpd\s+free\s+(?:buff\s+cache|inact\s+active)\s+si\s+so\s/;
const ASSUMED_INTERVAL = 1;

interface Sample {
  readonly line: number;
  readonly stamp: LineStamp | null;
  readonly cells: readonly number[];
}

interface Samples {
  /** Titles of the columns that are numbers. */
  readonly names: readonly string[];
  readonly samples: readonly Sample[];
  readonly utc: boolean;
}

function readVmstat(input: Input): Recording {
  const builder = new RecordingBuilder({ id: `vmstat:${input.name}`, name: input.name });
  const found = readSamples(input, builder);
  const { names, samples } = found;
  if (samples.length === 0) throw new FormatError(`${input.name} has no whole row of vmstat`);
  const kept = names.flatMap((name, i) =>
    Object.hasOwn(FIELDS, name) ? [{ field: FIELDS[name]!, i }] : [],
  );
  const unit = unitOf(input, samples, [...kept.map(({ i }) => i), names.indexOf('swpd')]);
  const { memory } = input.hints;
  const fields = kept.map(({ field }) => field);
  const host = builder.table('host', memory === undefined ? fields : ['MemTotal', ...fields]);
  const times = timesOf(input, builder, found);
  for (const [row, { cells }] of samples.entries()) {
    const figures = kept.map(({ i }) => cells[i]! * unit);
    host.push([times[row]!, ...(memory === undefined ? [] : [memory]), ...figures]);
  }
  builder.warn("its figures are the whole system's memory, not one program's");
  if (memory === undefined) {
    builder.warn('vmstat does not say how much memory the machine has: --memory 64GiB tells it');
  }
  const swpd = names.indexOf('swpd');
  const swapped = samples.reduce((most, { cells }) => Math.max(most, cells[swpd]!), 0) * unit;
  if (swapped > 0) builder.warn(`swap in use, up to ${formatBytes(swapped)}, is not kept`);
  return builder.build();
}

function readSamples(input: Input, builder: RecordingBuilder): Samples {
  let names: string[] = [];
  let timed = false;
  let utc = false;
  let number = 0;
  const samples: Sample[] = [];
  for (const raw of input.lines({ keepEnds: true })) {
    number++;
    const line = raw.trim();
    if (line === '') continue;
    const place = `${input.name}, line ${number}`;
    if (!raw.endsWith('\n')) {
      builder.warn(
        `line ${number} of ${input.name}, the last, has no line end: dropped as cut off`,
      );
    } else if (/^-{0,2}procs[ -]/.test(line)) timed = /timestamp/.test(line);
    else if (TITLES.test(`${line} `)) {
      const titles = line.split(/\s+/);
      const numbers = titles.filter((title) => /^[a-z]+$/.test(title));
      if (names.length > 0 && numbers.join() !== names.join()) {
        throw new FormatError(`${place}: other columns than above`);
      }
      names = numbers;
      utc = titles.includes('UTC') || titles.includes('GMT');
    } else samples.push(readSample(place, number, line, names, timed));
  }
  return { names, samples, utc };
}

function readSample(
  place: string,
  number: number,
  line: string,
  names: readonly string[],
  timed: boolean,
): Sample {
  if (names.length === 0) throw new FormatError(`${place}: a row before its titles`);
  const words = line.split(/\s+/);
  const cells = words.slice(0, names.length);
  const rest = words.slice(names.length).join(' ');
  const stamp = timed ? parseStamp(rest) : null;
  const numbers = cells.length === names.length && cells.every((c) => /^\d{1,15}$/.test(c));
  if (!numbers || (timed ? !stamp : rest !== '')) {
    throw new FormatError(`${place}: '${line.slice(0, 60)}' is no row of vmstat`);
  }
  return { line: number, stamp, cells: cells.map(Number) };
}

function unitOf(input: Input, samples: readonly Sample[], columns: readonly number[]): number {
  if (input.hints.unit !== undefined) return input.hints.unit;
  const finder = new UnitFinder();
  for (const { cells, line } of samples) for (const i of columns) finder.see(cells[i]!, line);
  return finder.decide(input.name, samples[0]!.line, 'vmstat');
}

function timesOf(input: Input, builder: RecordingBuilder, found: Samples): number[] {
  const { samples, utc } = found;
  const { modified, timeZone, interval } = input.hints;
  const stamps = samples.flatMap(({ stamp }) => stamp ?? []);
  if (stamps.length === samples.length) {
    const fileTime = modified ?? Date.now() / 1000;
    const times = placeStamps(stamps, { fileTime, timeZone: utc ? UTC_ZONE : timeZone });
    for (const [i, time] of times.entries()) {
      if (isUnixTime(time) && time >= (times[i - 1] ?? 0)) continue;
      throw new FormatError(`${input.name}, line ${samples[i]!.line}: its time is out of order`);
    }
    const clock = new SampleClock(times[0]!);
    clock.finish(builder.run, times.at(-1)!);
    return Array.from(times, (time) => clock.ns(time));
  }
  if (stamps.length > 0)
    throw new FormatError(`${input.name}: some rows have times, some have none`);
  const step = interval ?? ASSUMED_INTERVAL;
  if (interval === undefined && samples.length > 1) {
    builder.warn(
      `${input.name} has no times: taken as ${step} s apart (--interval says otherwise)`,
    );
  }
  countBack(builder.run, (samples.length - 1) * step, input.hints);
  return samples.map((_, i) => Math.round(i * step * SECOND_NS));
}
