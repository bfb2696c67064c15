/** So many bytes are looked at, at the start, in the middle and at the end of a piece of output. */
const LOOKED_AT = 256;
/** Text has next to no control characters besides these: bell, backspace, tab, line feed, return, escape. */
const IN_TEXT = [7, 8, 9, 10, 13, 27];
/** Of a piece: random bytes have ten in a hundred, floats and integers more. */
const BINARY_SHARE = 0.04;
const LINE_FEED = 10;

/** By byte: 1 for a control character that text does not have. */
const CONTROLS = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte < 32 && !IN_TEXT.includes(byte) ? 1 : 0,
);

/** Whether a piece of output is no text: an image, an archive, an array. */
export function isBinary(bytes: Uint8Array): boolean {
  const { length } = bytes;
  if (length < LOOKED_AT) return false;
  let controls = 0;
  for (const from of [0, (length - LOOKED_AT) >> 1, length - LOOKED_AT]) {
    for (let at = from; at < from + LOOKED_AT; at++) controls += CONTROLS[bytes[at]!]!;
  }
  return controls > 3 * LOOKED_AT * BINARY_SHARE;
}

/**
 * The lines of text among binary output, each with its line feed; one that has a control character in it is none.
 * `begun`: the first line began in an earlier piece. What follows the last line feed is `rest`, null where that is no text.
 */
export function textAmong(
  bytes: Uint8Array,
  begun: boolean,
): { lines: Uint8Array[]; rest: Uint8Array | null } {
  const lines: Uint8Array[] = [];
  let start = begun ? bytes.indexOf(LINE_FEED) + 1 : 0;
  if (begun && start === 0) return { lines, rest: null };
  for (let end = bytes.indexOf(LINE_FEED, start); end >= 0; end = bytes.indexOf(LINE_FEED, start)) {
    if (isText(bytes, start, end)) lines.push(bytes.subarray(start, end + 1));
    start = end + 1;
  }
  return { lines, rest: isText(bytes, start, bytes.length) ? bytes.subarray(start) : null };
}

function isText(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (CONTROLS[bytes[at]!] === 1) return false;
  return true;
}
