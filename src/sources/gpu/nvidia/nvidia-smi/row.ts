import { MiB } from '../../../../base/bytes.ts';

/** What is asked of each card, in this order. The name comes last: it could hold anything. */
const FIELDS = [
  'timestamp',
  'index',
  'uuid',
  'driver_version',
  'memory.used',
  'memory.free',
  'memory.total',
  'name',
] as const;
/** Programs before driver 510 do not know this field and refuse the whole query. */
const RESERVED = 'memory.reserved';

export interface SmiRow {
  /** Wall time in ms, as the program stamped it; NaN where it cannot be read. */
  readonly wallMs: number;
  readonly index: number;
  readonly uuid: string;
  readonly name: string;
  readonly driver: string;
  /** Bytes; NaN where the driver does not tell. */
  readonly used: number;
  readonly free: number;
  readonly total: number;
  readonly reserved: number;
}

export function queryArguments(intervalMs: number, withReserved: boolean): string[] {
  const fields = withReserved ? [RESERVED, ...FIELDS] : FIELDS;
  const once = [`--query-gpu=${fields.join(',')}`, '--format=csv,noheader,nounits'];
  return intervalMs > 0 ? [...once, '-lms', String(intervalMs)] : once;
}

/** One line of the answer; null for one that is none (a warning, a line cut short). */
export function parseRow(line: string, withReserved: boolean): SmiRow | null {
  const cells = line.split(',').map((cell) => cell.trim());
  const reserved = withReserved ? mebibytes(cells.shift() ?? '') : Number.NaN;
  const [timestamp = '', index = '', uuid = '', driver = '', used, free, total, ...name] = cells;
  if (!/^\d+$/.test(index) || total === undefined || name.length === 0) return null;
  return {
    wallMs: wallTime(timestamp),
    index: Number(index),
    uuid,
    name: name.join(', '),
    driver,
    used: mebibytes(used ?? ''),
    free: mebibytes(free ?? ''),
    total: mebibytes(total),
    reserved,
  };
}

/** `[N/A]`, `[Not Supported]` and `[Unknown Error]` are no figures. */
const mebibytes = (text: string) => (/^\d+$/.test(text) ? Number(text) * MiB : Number.NaN);

/** 2026/11/15 21:58:32.123, local time. */
function wallTime(text: string): number {
  const match = /^(\d{4})\/(\d\d)\/(\d\d) (\d\d):(\d\d):(\d\d)(?:\.(\d{3}))?$/.exec(text);
  if (!match) return Number.NaN;
  const [year, month, day, hour, minute, second, ms = 0] = match
    .slice(1)
    .map((n) => Number(n ?? 0));
  return new Date(year!, month! - 1, day, hour, minute, second, ms).getTime();
}
