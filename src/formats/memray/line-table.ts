/** A function of Python as its code object tells it: which instruction is of which line. */
export interface CodeObject {
  readonly name: string;
  readonly file: string;
  readonly firstLine: number;
  readonly table: Uint8Array;
}

/** The line of an instruction (`co_linetable`, before 3.10 `co_lnotab`); 0 where the table does not tell. `version`: as sys.hexversion. */
export function lineOf({ firstLine, table }: CodeObject, offset: number, version: number): number {
  if (offset < 0) return 0;
  if (table.length === 0) return firstLine;
  if (version >= 0x030b0000) return ofLocations(table, firstLine, offset / 2);
  return version >= 0x030a0000
    ? ofPairs(table, firstLine, offset * 2, true)
    : ofPairs(table, firstLine, offset, false);
}

const signedByte = (byte: number) => (byte << 24) >> 24;

/** Pairs of how many instructions, and how many lines further. */
function ofPairs(table: Uint8Array, first: number, offset: number, hasNone: boolean): number {
  let [line, at] = [first, 0];
  for (let i = 0; i + 1 < table.length; i += 2) {
    const by = signedByte(table[i + 1]!);
    if (hasNone) {
      at += table[i]!;
      // The line that a stretch is of stands with its length; −128: no line.
      if (by !== -128) line += by;
      if (at > offset) return line;
    } else {
      at += table[i]!;
      if (at > offset) return line;
      line += by;
    }
  }
  return line;
}

/** Python 3.11 and newer: a byte with a kind and a length, then what the kind needs, columns too. */
function ofLocations(table: Uint8Array, first: number, offset: number): number {
  let [line, at, i] = [first, 0, 0];
  const number = () => {
    let [value, shift] = [0, 0];
    for (;;) {
      const byte = table[i++] ?? 0;
      value += (byte & 63) * 2 ** shift;
      if ((byte & 64) === 0 || shift > 42) return value;
      shift += 6;
    }
  };
  const signed = () => {
    const value = number();
    return value % 2 === 1 ? -(value - 1) / 2 : value / 2;
  };
  while (i < table.length) {
    const start = table[i++]!;
    const kind = (start >> 3) & 15;
    const until = at + (start & 7) + 1;
    if (kind === 14) {
      line += signed();
      number();
      number();
      number();
    } else if (kind === 13) line += signed();
    else if (kind >= 10 && kind <= 12) {
      line += kind - 10;
      i += 2;
    } else if (kind < 10) i++;
    if (offset >= at && offset < until) return kind === 15 ? 0 : line;
    at = until;
  }
  return 0;
}
