const ZERO = 0x30;

/** The bytes that are being taken, and what came of the list before them. */
export interface Piece {
  readonly bytes: Uint8Array;
  readonly from: number;
  readonly base: number;
  readonly before: { readonly rows: number; readonly numbers: number; readonly digits: number };
}

/**
 * The file's byte after the `numbers`th number, counted from the first record that ends in the piece. Nobody
 * keeps places of millions of records: where one is refused, its piece is looked through once more.
 */
export function endOf({ bytes, from, base, before }: Piece, numbers: number): number {
  let left = numbers - before.numbers;
  let inNumber = before.digits > 0;
  let at = from;
  for (; left > 0 && at < bytes.length; at++) {
    const isDigit = (bytes[at]! ^ ZERO) <= 9;
    if (inNumber && !isDigit) left--;
    inNumber = isDigit;
  }
  return base + at;
}
