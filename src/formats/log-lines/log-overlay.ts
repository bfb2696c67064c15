import { UserError } from '../../base/errors.ts';
import { count } from '../../base/text.ts';
import { formatDuration, isoTime, SECOND_NS } from '../../base/time.ts';
import { firstMark, SAMPLED } from '../../model/origin.ts';
import type { Recording } from '../../model/recording.ts';
import { TIME_FROM } from '../../model/schema.ts';
import { type NewMark, withMarks } from './new-marks.ts';
import { describeZone, formatOffset, LOCAL_ZONE, type TimeZone } from './time-zone.ts';
import { type PlacedLog, placeLog, type TrainingLog } from './training-log.ts';

const DAY = 86_400;
/** Farther apart, log and samples are of two different runs. */
const MAX_APART = 31 * DAY;
/** In the right zone they are no farther apart, in seconds. */
const NEARLY = 300;

interface Span {
  readonly first: number;
  readonly last: number;
}

/**
 * A recording with the marks of a training's log laid over its samples. What had to be assumed is
 * said in warnings: the year or date (by the file's last change), and the time zone.
 */
export function withTrainingLog(
  recording: Recording,
  log: TrainingLog,
  options: { fileTime: number; timeZone?: TimeZone },
): Recording {
  const started = Date.parse(recording.run.startedAt) / 1000;
  const span = spanOf(recording, started);
  if (!span) {
    throw new UserError(
      `${recording.run.name} does not say when it was, so no log can be laid over it`,
      {
        hint: 'import it without --log',
      },
    );
  }
  const warnings: string[] = [];
  const placed = placeBeside(log, span, options, warnings);
  if (apart(placed, span) > MAX_APART) {
    throw new UserError(
      `${log.name} is of ${day(placed.start)}, but the samples are of ${day(span.first)}`,
      { hint: 'is it the log of this run?' },
    );
  }
  if (placed.unplaced > 0) {
    warnings.push(
      `${count(placed.unplaced, 'mark')} of ${log.name} left out: no time near ${placed.unplaced === 1 ? 'it' : 'them'}`,
    );
  }
  const marks: NewMark[] = placed.marks.map(({ mark, at }) => ({
    ...mark,
    at,
    timeFrom: TIME_FROM.line,
  }));
  if (firstMark(recording, 'start') === null) {
    const name = `first line of ${log.name}`;
    marks.unshift({ kind: 'start', name, at: placed.start, timeFrom: TIME_FROM.line });
    const end = `last line of ${log.name}`;
    marks.push({ kind: 'end', name: end, at: placed.end, timeFrom: TIME_FROM.line });
  }
  return withMarks(recording, marks, warnings);
}

/** Places the log by its file's time; by the samples', where that is another day altogether. */
function placeBeside(
  log: TrainingLog,
  span: Span,
  options: { fileTime: number; timeZone?: TimeZone },
  warnings: string[],
): PlacedLog {
  const zone = options.timeZone ?? LOCAL_ZONE;
  const lacksYear = log.stamps.some((s) => s.unix === undefined && s.year === undefined);
  const lacksDate = log.stamps.some((s) => s.unix === undefined && s.month === undefined);
  const lacksZone = log.stamps.some((s) => s.unix === undefined && s.offsetMinutes === undefined);
  let placed = placeLog(log, options);
  let by = "the file's last change";
  if (lacksYear && apart(placed, span) > DAY) {
    // Copied and unpacked files have a new time, but the samples know when they were taken.
    const beside = placeLog(log, { ...options, fileTime: span.last + DAY / 2 });
    if (apart(beside, span) <= DAY) {
      placed = beside;
      by = `the samples (${by} is another day)`;
    }
  }
  if (lacksYear) {
    const what = lacksDate ? 'date' : 'year';
    warnings.push(
      `${log.name} has times without a ${what}: taken as ${day(placed.start)}, by ${by}`,
    );
  }
  if (lacksZone) warnings.push(`times of ${log.name} taken as those of ${describeZone(zone)}`);
  if (apart(placed, span) > 0) warnings.push(apartWarning(log, placed, span, zone, lacksZone));
  return placed;
}

/** Says that log and samples do not meet, and in which zone they would. */
function apartWarning(
  log: TrainingLog,
  placed: PlacedLog,
  span: Span,
  zone: TimeZone,
  lacksZone: boolean,
): string {
  const early = placed.end < span.first;
  const gap = formatDuration(apart(placed, span));
  const said = `${log.name} ${early ? `ends ${gap} before the first` : `begins ${gap} after the last`} sample`;
  const middle = (span.first + span.last - placed.start - placed.end) / 2;
  const shift = Math.round(middle / 1800) * 30;
  const moved = { start: placed.start + shift * 60, end: placed.end + shift * 60 };
  const meets = apart(moved, span) <= NEARLY;
  if (!lacksZone || !meets || shift === 0 || Math.abs(shift) > 15 * 60) return said;
  const offset = offsetOf(zone, placed.start) - shift;
  return `${said}: was it written in another time zone? (--time-zone ${formatOffset(offset)})`;
}

/** Minutes east of UTC. */
function offsetOf(zone: TimeZone, unix: number): number {
  if (zone.kind === 'offset') return zone.minutes;
  if (zone.kind === 'local') return -new Date(unix * 1000).getTimezoneOffset();
  const there = new Date(unix * 1000).toLocaleString('sv-SE', { timeZone: zone.name });
  return Math.round((Date.parse(`${there.replace(' ', 'T')}Z`) / 1000 - unix) / 60);
}

/** Seconds between the log and the samples; 0 where they meet. */
function apart(placed: Pick<PlacedLog, 'start' | 'end'>, span: Span): number {
  return Math.max(0, span.first - placed.end, placed.start - span.last);
}

const day = (unix: number) => isoTime(unix * 1000).slice(0, 10);

/** When the samples were taken, in Unix seconds; null where that is not known. */
function spanOf(recording: Recording, started: number): Span | null {
  if (!(started > 0)) return null;
  const times = SAMPLED.map((name) => recording.table(name))
    .filter((table) => table.rows > 0)
    .map((table) => table.f64('time'));
  if (times.length === 0) return null;
  const first = Math.min(...times.map((column) => column[0]!));
  const last = Math.max(...times.map((column) => column.at(-1)!));
  return { first: started + first / SECOND_NS, last: started + last / SECOND_NS };
}
