import { FormatError } from '../../base/errors.ts';
import { type Cells, TAG } from './values.ts';

/** A whole number of more bytes is no size, time or address. */
export const MAX_LONG = 9;

export function u32(bytes: Uint8Array, at: number): number {
  return (
    (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0
  );
}

/** Above 2^53 not exact: such a length is refused anyway. */
export function u64(bytes: Uint8Array, at: number): number {
  return u32(bytes, at + 4) * 2 ** 32 + u32(bytes, at);
}

/** A whole number of `length` bytes, two's complement, the lowest first, into a cell. */
export function readLong(
  bytes: Uint8Array,
  from: number,
  length: number,
  { tags, values, halves }: Cells,
  cell: number,
): void {
  const last = from + length - 1;
  if (length > MAX_LONG || (length === MAX_LONG && bytes[last] !== 0)) {
    throw new FormatError(`has a whole number of ${length} bytes, of which none needs over 8`);
  }
  let low = 0;
  let high = 0;
  for (let i = Math.min(length, 4) - 1; i >= 0; i--) low = (low << 8) | bytes[from + i]!;
  for (let i = Math.min(length, 8) - 1; i >= 4; i--) high = (high << 8) | bytes[from + i]!;
  const negative = length > 0 && length < MAX_LONG && bytes[last]! > 127;
  if (negative) {
    if (length < 4) low |= -1 << (8 * length);
    if (length <= 4) high = -1;
    else if (length < 8) high |= -1 << (8 * (length - 4));
  }
  const value = (negative ? high : high >>> 0) * 2 ** 32 + (low >>> 0);
  if (Number.isSafeInteger(value)) {
    tags[cell] = TAG.int;
    values[cell] = value;
  } else {
    tags[cell] = TAG.wide;
    halves[2 * cell] = low;
    halves[2 * cell + 1] = high;
  }
}
