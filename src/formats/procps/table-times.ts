import { FormatError } from '../../base/errors.ts';
import { SECOND_NS } from '../../base/time.ts';
import type { RecordingBuilder } from '../../model/builder.ts';
import type { Input } from '../input.ts';
import { type LineStamp, placeStamps } from '../log-lines/index.ts';
import { countBack, isUnixTime, SampleClock } from '../sample-clock.ts';

const ASSUMED_INTERVAL = 1;

/** Tables with a time above each, in ns since the first. */
export function stampedTimes(
  input: Input,
  builder: RecordingBuilder,
  stamps: readonly LineStamp[],
): number[] {
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
export function pacedTimes(input: Input, builder: RecordingBuilder, tables: number): number[] {
  const { interval } = input.hints;
  const step = interval ?? ASSUMED_INTERVAL;
  if (interval === undefined && tables > 1) {
    builder.warn(
      `${input.name} has no times: taken as ${step} s apart (--interval says otherwise)`,
    );
  }
  countBack(builder.run, (tables - 1) * step, input.hints);
  return Array.from({ length: tables }, (_, i) => Math.round(i * step * SECOND_NS));
}
