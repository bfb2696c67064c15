import { GiB, KiB, MiB } from '../../base/bytes.ts';

/**
 * What stands in one cell of `nvidia-smi --format=csv`. Old drivers wrote MB where they meant MiB,
 * as newer ones say for the same number.
 */
const UNITS: ReadonlyMap<string, number> = new Map([
  ['B', 1],
  ['KiB', KiB],
  ['MiB', MiB],
  ['MB', MiB],
  ['GiB', GiB],
]);

const AMOUNT = /^(\d{1,12}(?:\.\d{1,6})?)(?: ?([KMG]?i?B))?$/;
const STAMP = /^(\d{4})\/(\d{2})\/(\d{2}) (\d{2}):(\d{2}):(\d{2}(?:\.\d{1,9})?)$/;
/** `[N/A]`, `[Not Supported]`, `[Unknown Error]`, `[GPU is lost]` … */
const ABSENT = /^(?:\[[^\]]{1,60}\]|N\/A|ERR!|)$/;

export const splitCells = (line: string) => line.split(',').map((cell) => cell.trim());

/** Bytes; NaN where the driver had no answer; null for what is no amount of memory. */
export function parseAmount(cell: string, unit: number): number | null {
  const match = AMOUNT.exec(cell);
  if (!match) return ABSENT.test(cell) ? Number.NaN : null;
  const own = match[2] === undefined ? unit : UNITS.get(match[2]);
  return own === undefined ? null : Number(match[1]) * own;
}

export const unitNamed = (name: string) => UNITS.get(name) ?? null;

export const isAmount = (cell: string) => / ?[KMG]?i?B$/.test(cell) && AMOUNT.test(cell);
export const isAbsent = (cell: string) => cell !== '' && ABSENT.test(cell);
export const isStamp = (cell: string) => STAMP.test(cell);

/** Year, month, day and seconds since midnight, as the clock on the wall showed them; null for no time. */
export function parseWallTime(
  cell: string,
): { year: number; month: number; day: number; clock: number } | null {
  const match = STAMP.exec(cell);
  if (!match) return null;
  const [year, month, day, hour, minute, second] = match.slice(1).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const real = month >= 1 && month <= 12 && day >= 1 && day <= 31;
  if (!real || hour > 23 || minute > 59 || second >= 61) return null;
  return { year, month, day, clock: hour * 3600 + minute * 60 + second };
}
