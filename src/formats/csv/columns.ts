import { MiB } from '../../base/bytes.ts';
import { SECOND_NS } from '../../base/time.ts';
import type { Cell } from '../../model/column-data.ts';
import type { ColumnSpec } from '../../model/schema.ts';

/** What a column is called in a file: times are seconds since the workload's start there. */
export function columnTitle(column: ColumnSpec): string {
  if (column.unit === 'ns') return column.name === 'time' ? 'seconds' : `${column.name}_seconds`;
  return column.unit === 'unix-ns' ? `${column.name}_unix_ns` : column.name;
}

/** Longer than any recording; a time beyond it is some other number. */
const MAX_SECONDS = 1e11;
const MAX_U64 = 2n ** 64n - 1n;

export type ParseCell = (text: string) => Cell;

/**
 * Reads cells of a column; throws a plain reason, the caller knows the place. `timed`: every row of
 * its table has a time.
 */
export function cellParser(column: ColumnSpec, timed: boolean): ParseCell {
  if (column.unit === 'string' || column.type === 'utf8') return (text) => text;
  if (column.unit === 'ns') {
    return timed && column.name === 'time' ? parseSeconds : (text) => orNull(text, parseSeconds);
  }
  switch (column.type) {
    case 'u8':
      return (text) => parseWhole(text, 0xff);
    case 'u32':
      return (text) => parseWhole(text, 0xffffffff);
    case 'u64':
      return parseAddress;
    default:
      return (text) => orNull(text, parseNumber);
  }
}

/** MiB to bytes, or null. */
export const parseMiB: ParseCell = (text) => orNull(text, (mib) => parseNumber(mib) * MiB);

const orNull = (text: string, parse: (text: string) => Cell) =>
  text.trim() === '' ? null : parse(text);

export function parseNumber(text: string): number {
  const shape = /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i;
  const value = shape.test(text) ? Number(text) : Number.NaN;
  if (!Number.isFinite(value)) throw new RangeError('is not a number');
  return value;
}

/** Whole nanoseconds: what a recording's clock counts, and what makes the way back exact. */
function parseSeconds(text: string): number {
  const seconds = parseNumber(text);
  if (Math.abs(seconds) > MAX_SECONDS) throw new RangeError('is not a time in seconds');
  return Math.round(seconds * SECOND_NS) + 0;
}

function parseWhole(text: string, most: number): number {
  const value = parseNumber(text);
  if (!Number.isInteger(value) || value < 0 || value > most) {
    throw new RangeError(`is not a whole number from 0 to ${most}`);
  }
  return value;
}

function parseAddress(text: string): bigint {
  const value = /^\s*\d{1,20}\s*$/.test(text) ? BigInt(text.trim()) : -1n;
  if (value < 0n || value > MAX_U64) throw new RangeError('is not a whole number of 64 bits');
  return value;
}
