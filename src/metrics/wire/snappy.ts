/**
 * Snappy's block format (https://github.com/google/snappy/blob/main/format_description.txt), with copies of the kind that has an offset of
 * two bytes only: names and labels repeat from series to series, and that is all there is to save.
 */
const HASH_BITS = 13;
const LEAST_MATCH = 8;
const MOST_COPY = 64;
const MOST_OFFSET = 65_535;
const LITERAL = 0;
const COPY_2 = 2;

export function snappy(input: Uint8Array): Uint8Array {
  // A literal costs at most its tag of five bytes, and there are fewer of them than copies that save more.
  const out = new Uint8Array(input.length + Math.ceil(input.length / 8) + 16);
  const view = new DataView(input.buffer, input.byteOffset, input.byteLength);
  const seen = new Int32Array(2 ** HASH_BITS).fill(-1);
  let length = preamble(out, input.length);
  let written = 0;
  for (let at = 0; at + LEAST_MATCH <= input.length; ) {
    const word = view.getUint32(at, true);
    const slot = Math.imul(word, 0x1e35a7bd) >>> (32 - HASH_BITS);
    const before = seen[slot]!;
    seen[slot] = at;
    const same = before >= 0 && at - before <= MOST_OFFSET ? matchLength(input, before, at) : 0;
    if (same < LEAST_MATCH) {
      at++;
      continue;
    }
    length = literal(out, length, input.subarray(written, at));
    for (let left = same; left > 0; left -= MOST_COPY) {
      out[length++] = COPY_2 + ((Math.min(left, MOST_COPY) - 1) << 2);
      out[length++] = (at - before) & 0xff;
      out[length++] = (at - before) >> 8;
    }
    at += same;
    written = at;
  }
  return out.subarray(0, literal(out, length, input.subarray(written)));
}

/** The size of what is packed. */
function preamble(out: Uint8Array, size: number): number {
  let length = 0;
  let rest = size;
  for (; rest >= 128; rest >>>= 7) out[length++] = (rest & 127) | 128;
  out[length++] = rest;
  return length;
}

function matchLength(input: Uint8Array, before: number, at: number): number {
  let same = 0;
  while (at + same < input.length && input[before + same] === input[at + same]) same++;
  return same;
}

/** Bytes as they are; the new length of the output. */
function literal(out: Uint8Array, length: number, bytes: Uint8Array): number {
  let end = length;
  if (bytes.length === 0) return end;
  const size = bytes.length - 1;
  if (size < 60) out[end++] = LITERAL + (size << 2);
  else {
    // Tags 60 to 63 say how many bytes the size has.
    const width = size < 2 ** 8 ? 1 : size < 2 ** 16 ? 2 : size < 2 ** 24 ? 3 : 4;
    out[end++] = LITERAL + ((59 + width) << 2);
    for (let byte = 0; byte < width; byte++) out[end++] = (size >>> (8 * byte)) & 0xff;
  }
  out.set(bytes, end);
  return end + bytes.length;
}
