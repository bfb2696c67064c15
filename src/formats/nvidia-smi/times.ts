import { FormatError } from '../../base/errors.ts';
import { formatDuration, SECOND_NS } from '../../base/time.ts';
import type { RunInfo } from '../../model/run.ts';
import type { Input } from '../input.ts';
import { describeZone, LOCAL_ZONE, unixSeconds } from '../log-lines/index.ts';
import { countBack, SampleClock } from '../sample-clock.ts';
import { parseWallTime } from './cells.ts';
import type { SmiLogRow } from './rows.ts';

/** What `-lms 10` asks for, as the original comparison did. */
const ASSUMED_INTERVAL = 0.01;

/** ns of each row since the recording's start; tells the run when it was, and what was assumed. */
export function rowTimes(
  input: Input,
  rows: readonly SmiLogRow[],
  gpuOf: Uint32Array,
  run: RunInfo,
): Float64Array {
  const stamped = rows.filter((row) => row.stamp !== '').length;
  if (stamped === rows.length) return stampedTimes(input, rows, run);
  if (stamped > 0) {
    throw new FormatError(`${input.name}: some rows have times, some have none`);
  }
  const step = input.hints.interval ?? ASSUMED_INTERVAL;
  const turns = countTurns(gpuOf);
  const last = turns[turns.length - 1]!;
  if (input.hints.interval === undefined && last > 0) {
    const ms = step * 1000;
    run.warnings.push(`no times in the log: taken as ${ms} ms apart (--interval says otherwise)`);
  }
  countBack(run, last * step, input.hints);
  return turns.map((turn) => Math.round(turn * step * SECOND_NS));
}

/** All GPUs are read in one turn: the next one begins where a GPU comes again. */
function countTurns(gpuOf: Uint32Array): Float64Array {
  const seen = new Set<number>();
  let turn = 0;
  return Float64Array.from(gpuOf, (gpu) => {
    if (seen.has(gpu)) {
      seen.clear();
      turn++;
    }
    seen.add(gpu);
    return turn;
  });
}

function stampedTimes(input: Input, rows: readonly SmiLogRow[], run: RunInfo): Float64Array {
  const zone = input.hints.timeZone ?? LOCAL_ZONE;
  const unix = wallClock(input, zone);
  const times = new Float64Array(rows.length);
  let moved = 0;
  let previous = Number.NEGATIVE_INFINITY;
  for (const [i, row] of rows.entries()) {
    let time = unix(row) + moved;
    if (time < previous) {
      const back = previous - time;
      run.warnings.push(
        `the clock was set back by ${formatDuration(back)} at line ${row.line}: later times are moved on`,
      );
      moved += back;
      time = previous;
    }
    times[i] = time;
    previous = time;
  }
  if (input.hints.timeZone === undefined) {
    run.warnings.push(
      `the wall time is taken to be in ${describeZone(zone)} (--time-zone says otherwise)`,
    );
  }
  const clock = new SampleClock(times[0]!);
  clock.finish(run, previous);
  return times.map((time) => clock.ns(time));
}

/** Zones are asked once a minute of the log: they are slow to answer, and rows are many. */
function wallClock(
  input: Input,
  zone: Parameters<typeof unixSeconds>[4],
): (row: SmiLogRow) => number {
  let [minute, base] = ['', 0];
  return ({ stamp, line }) => {
    const wall = parseWallTime(stamp);
    if (!wall)
      throw new FormatError(`${input.name}, line ${line}: '${stamp.slice(0, 40)}' is no time`);
    const second = wall.clock % 60;
    const text = stamp.slice(0, 16);
    if (text !== minute) {
      [minute, base] = [
        text,
        unixSeconds(wall.year, wall.month, wall.day, wall.clock - second, zone),
      ];
    }
    return base + second;
  };
}
