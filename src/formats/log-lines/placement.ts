import type { LineStamp } from './stamp.ts';
import { dateIn, LOCAL_ZONE, type TimeZone, unixSeconds } from './time-zone.ts';

export interface PlacementOptions {
  /** When the file was last changed, in Unix seconds: the time of its last line, or later. */
  readonly fileTime: number;
  /** Zone of the clock that wrote the lines; a stamp that names its own overrules it. */
  readonly timeZone?: TimeZone;
}

const DAY = 86_400;
/** Lines of several threads, and an hour that a change of clocks repeats, may go back this far. */
const MAX_BACK = 3660;
/** The file's time may be behind its last line's: another machine's clock, on a network disk. */
const MAX_BEHIND = 120;
/** A date without a year stays right even where the zone is wrong: no zone is farther off. */
const MAX_BEHIND_DATED = 26 * 3600;

/**
 * Unix seconds of a log's stamps, in the order of its lines. What a stamp leaves out is found from
 * the end backwards: the last line was written when the file was last changed, and each line is
 * not later than the one after it. So a run across midnight gets two dates, one across New Year
 * two years, and last year's log last year's.
 */
export function placeStamps(
  stamps: readonly LineStamp[],
  { fileTime, timeZone = LOCAL_ZONE }: PlacementOptions,
): Float64Array {
  const placed = new Float64Array(stamps.length);
  let next = fileTime;
  let slack: 'file' | 'line' = 'file';
  for (let i = stamps.length - 1; i >= 0; i--) {
    const stamp = stamps[i]!;
    const dated = stamp.month !== undefined;
    const behind = slack === 'line' ? MAX_BACK : dated ? MAX_BEHIND_DATED : MAX_BEHIND;
    next = placeOne(stamp, next + behind, timeZone);
    placed[i] = next;
    slack = 'line';
  }
  return placed;
}

/** The latest moment that a stamp can mean and that is not after `latest`. */
function placeOne(stamp: LineStamp, latest: number, timeZone: TimeZone): number {
  if (stamp.unix !== undefined) return stamp.unix;
  const zone: TimeZone =
    stamp.offsetMinutes === undefined ? timeZone : { kind: 'offset', minutes: stamp.offsetMinutes };
  const { year, month, day, clock } = stamp;
  if (month === undefined || day === undefined) {
    // Two days on, then back day by day: an offset moves a date by one at most.
    for (let back = -1; ; back++) {
      const date = dateIn(latest - back * DAY, zone);
      const at = unixSeconds(...date, clock, zone);
      if (at <= latest || back > 2) return at;
    }
  }
  if (year !== undefined) return unixSeconds(year, month, day, clock, zone);
  const [newest] = dateIn(latest, zone);
  // 29 February exists every fourth year, or eighth.
  for (let guess = newest + 1; guess > newest - 9; guess--) {
    const at = unixSeconds(guess, month, day, clock, zone);
    if (at <= latest && dateIn(at, zone)[1] === month) return at;
  }
  return unixSeconds(newest, month, day, clock, zone);
}
