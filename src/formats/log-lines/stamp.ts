import { parseOffset } from './time-zone.ts';

/** A time as a line states it; what it leaves out (year, date, zone) `placeStamps` finds. */
export interface LineStamp {
  readonly style: 'glog' | 'date' | 'clock' | 'unix';
  /** Unix seconds, where the line states those; the fields below then mean nothing. */
  readonly unix?: number;
  readonly year?: number;
  /** 1 to 12. */
  readonly month?: number;
  readonly day?: number;
  /** Seconds since midnight. */
  readonly clock: number;
  readonly offsetMinutes?: number;
}

/** A time stands at the beginning of a line, after a level or a bracket at most. */
const LOOK_AT = 80;

const TIME = String.raw`(\d{1,2}):(\d{2}):(\d{2}(?:[.,]\d{1,9})?)`;
const GLOG = new RegExp(String.raw`^[IWEFDC](\d{4})?(\d{2})(\d{2}) ${TIME}(?=\s)`);
const ISO = new RegExp(
  String.raw`(?:^|[\s[("'|=])(\d{4})[-/](\d{2})[-/](\d{2})[T _]${TIME}(?: ?(Z|UTC|GMT|[+-]\d{2}:?\d{2})\b)?`,
);
const MONTH_FIRST = new RegExp(String.raw`(?:^|[\s[(])(\d{2})/(\d{2})/(\d{4}),? ${TIME}`);
const WORDS = new RegExp(
  String.raw`^[[(]?(?:[A-Z][a-z]{2},? )?([A-Z][a-z]{2}) {1,2}(\d{1,2}) ${TIME}( [AP]M)?(?: ([A-Z]{1,4}|[+-]\d{4}))?(?: (\d{4})\b)?`,
);
const CLOCK = new RegExp(
  String.raw`^(?:\[?(?:INFO|DEBUG|WARN|WARNING|ERROR)\]?[: ]{1,2})?[[(]?${TIME}[\])]?(?=[\s:,|-]|$)`,
);
const UNIX = /^\[?([12]\d{9}(?:\.\d{1,9})?)\]?(?=[\s:,]|$)/;

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** The time that a line begins with, if it does. */
export function lineStamp(line: string): LineStamp | null {
  const head = line.length > LOOK_AT ? line.slice(0, LOOK_AT) : line;
  if (!/\d:\d|^\[?\d{10}/.test(head)) return null;
  return glog(head) ?? iso(head) ?? monthFirst(head) ?? words(head) ?? clock(head) ?? unix(head);
}

/** A time on its own: as `lineStamp`, or Unix seconds or milliseconds as a number. */
export function parseStamp(value: string | number): LineStamp | null {
  const number = typeof value === 'number' ? value : /^\s*\d/.test(value) ? Number(value) : NaN;
  if (number >= 1e9 && number < 1e10) return { style: 'unix', unix: number, clock: 0 };
  if (number >= 1e12 && number < 1e13) return { style: 'unix', unix: number / 1000, clock: 0 };
  return typeof value === 'string' ? lineStamp(value.trim()) : null;
}

function glog(head: string): LineStamp | null {
  const m = GLOG.exec(head);
  return m && make('glog', m[1], m[2], m[3], [m[4]!, m[5]!, m[6]!]);
}

function iso(head: string): LineStamp | null {
  const m = ISO.exec(head);
  return m && make('date', m[1], m[2], m[3], [m[4]!, m[5]!, m[6]!], zone(m[7]));
}

/** 04/26/2016 as logging of Hugging Face prints it; 26/04/2016 can only be the other way round. */
function monthFirst(head: string): LineStamp | null {
  const m = MONTH_FIRST.exec(head);
  if (!m) return null;
  const [month, day] = Number(m[1]) > 12 ? [m[2], m[1]] : [m[1], m[2]];
  return make('date', m[3], month, day, [m[4]!, m[5]!, m[6]!]);
}

/** `Apr 26 11:53:29` of syslog, `Tue Apr 26 11:53:29 UTC 2016` of `date`. */
function words(head: string): LineStamp | null {
  const m = WORDS.exec(head);
  const month = m ? MONTHS.indexOf(m[1]!) + 1 : 0;
  if (!m || month === 0) return null;
  let hour = Number(m[3]);
  if (m[6]) hour = (hour % 12) + (m[6] === ' PM' ? 12 : 0);
  return make('date', m[8], String(month), m[2], [String(hour), m[4]!, m[5]!], zone(m[7]));
}

function clock(head: string): LineStamp | null {
  const m = CLOCK.exec(head);
  return m && make('clock', undefined, undefined, undefined, [m[1]!, m[2]!, m[3]!]);
}

function unix(head: string): LineStamp | null {
  const m = UNIX.exec(head);
  return m && { style: 'unix', unix: Number(m[1]), clock: 0 };
}

const zone = (text: string | undefined) => (text ? (parseOffset(text) ?? undefined) : undefined);

function make(
  style: LineStamp['style'],
  year: string | undefined,
  month: string | undefined,
  day: string | undefined,
  [hour, minute, second]: readonly [string, string, string],
  offsetMinutes?: number,
): LineStamp | null {
  const h = Number(hour);
  const m = Number(minute);
  const s = Number(second.includes(',') ? second.replace(',', '.') : second);
  if (h > 23 || m > 59 || s >= 61) return null;
  const stamp: Mutable<LineStamp> = { style, clock: h * 3600 + m * 60 + s };
  if (offsetMinutes !== undefined) stamp.offsetMinutes = offsetMinutes;
  if (month === undefined || day === undefined) return stamp;
  stamp.month = Number(month);
  stamp.day = Number(day);
  if (stamp.month < 1 || stamp.month > 12 || stamp.day < 1 || stamp.day > 31) return null;
  if (year === undefined) return stamp;
  stamp.year = Number(year);
  return stamp.year < 1970 ? null : stamp;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
