/** Where code that was generated comes from: a source map, unpacked into columns. */
export interface Segments {
  /** Offset in the generated text, ascending. */
  readonly offset: Uint32Array;
  readonly source: Int32Array;
  /** From zero. */
  readonly line: Int32Array;
}

const DIGITS = new Map(
  [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'].map((c, i) => [c, i]),
);

/** `lineLengths`: of the generated text, without the line ends. */
export function segments(mappings: string, lineLengths: readonly number[]): Segments {
  const offset: number[] = [];
  const source: number[] = [];
  const line: number[] = [];
  let [file, row, start] = [0, 0, 0];
  for (const [i, text] of mappings.split(';').entries()) {
    let column = 0;
    for (const word of text === '' ? [] : text.split(',')) {
      const [columns = 0, files, rows = 0] = numbers(word);
      column += columns;
      if (files === undefined) continue; // text that comes from nowhere
      file += files;
      row += rows;
      offset.push(start + column);
      source.push(file);
      line.push(row);
    }
    start += (lineLengths[i] ?? 0) + 1;
  }
  return {
    offset: Uint32Array.from(offset),
    source: Int32Array.from(source),
    line: Int32Array.from(line),
  };
}

/** The numbers of a segment: base 64, five bits a digit, the sign in the lowest bit. */
function numbers(word: string): number[] {
  const found: number[] = [];
  let [value, shift] = [0, 0];
  for (const character of word) {
    const digit = DIGITS.get(character) ?? 0;
    value |= (digit & 31) << shift;
    shift += 5;
    if (digit & 32) continue;
    found.push(value & 1 ? -(value >>> 1) : value >>> 1);
    [value, shift] = [0, 0];
  }
  return found;
}
