import { isBinary, textAmong } from './binary.ts';

/** A line is cut after this many characters: what a mark is read from stands at its beginning. */
export const MAX_LINE = 4096;
/** Escape sequences and backspaces of a line are dropped, so more is held than is handed out. */
const MAX_HELD = 4 * MAX_LINE;

const UNUSUAL = ['\r', '\x1b', '\b', '\x00', '\x07'];
const LINE_END = /\r\n|\n|\r/g;
/** Colours and cursor moves (CSI), window titles (OSC), other escapes, and stray backspaces. */
const ESCAPES =
  /\x1b(?:\[[0-?]*[ -/]*[@-~]?|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[ -/]*[0-~]?)|[\b\x00\x07]/g;

export interface LineSplitter {
  /** There is text whose line has not ended yet. */
  readonly waiting: boolean;
  /** The lines that this chunk completed. */
  push(chunk: Uint8Array): string[];
  /** The last line, if it had no end. */
  end(): string[];
}

/**
 * A program's output as lines. A carriage return ends a line as well, for that is how a progress
 * bar is repainted; of a line that never ends only the beginning is kept. Where it is no text, only
 * whole lines of text among it are: to read all of an array as lines would take longer than to make it.
 */
export function splitLines(): LineSplitter {
  // Not fatal: whatever a program prints must be harmless here.
  const decoder = new TextDecoder('utf-8');
  // A letter that a chunk border cuts. Node's decoder could keep it, at ten times the cost.
  let begun: Uint8Array = new Uint8Array();
  let held = '';
  let afterReturn = false;
  /** The line that is under way is no text. */
  let inBinary = false;

  const hold = (text: string) => {
    if (held.length < MAX_HELD) held += text.slice(0, MAX_HELD - held.length);
  };
  const take = (): string => {
    const line = plainLine(held);
    held = '';
    return line;
  };
  /** Most output has neither returns nor escapes, and there may be a million lines a minute. */
  const splitPlain = (text: string): string[] => {
    const lines: string[] = [];
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      if (held === '') {
        lines.push(text.slice(start, end - start > MAX_LINE ? start + MAX_LINE : end));
      } else {
        hold(text.slice(start, end));
        lines.push(take());
      }
      start = end + 1;
    }
    if (start < text.length) hold(text.slice(start));
    return lines;
  };
  const split = (text: string): string[] => {
    if (!afterReturn && !UNUSUAL.some((letter) => text.includes(letter))) return splitPlain(text);
    const lines: string[] = [];
    let start = 0;
    if (afterReturn && text.length > 0) {
      if (text[0] === '\n') start = 1;
      afterReturn = false;
    }
    LINE_END.lastIndex = start;
    for (let end = LINE_END.exec(text); end; end = LINE_END.exec(text)) {
      hold(text.slice(start, end.index));
      lines.push(take());
      start = end.index + end[0].length;
      // Its line feed may come with the next chunk.
      afterReturn = end[0] === '\r' && start === text.length;
    }
    hold(text.slice(start));
    return lines;
  };
  const pushText = (piece: Uint8Array): string[] => {
    let chunk = piece;
    if (held.length >= MAX_HELD) {
      // Of a line that goes on and on nothing more is kept: only its end is looked for.
      const end = endOfLine(chunk);
      begun = new Uint8Array();
      if (end < 0) return [];
      chunk = chunk.subarray(end);
    }
    const bytes = withoutExcess(begun.length > 0 ? joined([begun, chunk]) : chunk);
    const whole = wholeLength(bytes);
    begun = bytes.slice(whole);
    return split(decoder.decode(whole < bytes.length ? bytes.subarray(0, whole) : bytes));
  };
  /** What was held is the beginning of a line that is no text. */
  const pushBinary = (chunk: Uint8Array): string[] => {
    const { lines, rest } = textAmong(chunk, inBinary || held !== '' || begun.length > 0);
    held = '';
    begun = new Uint8Array();
    inBinary = rest === null;
    if (rest) lines.push(rest);
    return lines.length > 0 ? pushText(joined(lines)) : [];
  };
  return {
    get waiting() {
      return held !== '';
    },
    push(chunk) {
      if (inBinary || isBinary(chunk)) return pushBinary(chunk);
      return pushText(chunk);
    },
    end() {
      const lines = split(decoder.decode(begun));
      begun = new Uint8Array();
      if (held !== '') lines.push(take());
      return lines;
    },
  };
}

/** Where the first line ends; −1: not in here. */
function endOfLine(bytes: Uint8Array): number {
  const [feed, back] = [bytes.indexOf(10), bytes.indexOf(13)];
  return feed < 0 ? back : back < 0 ? feed : Math.min(feed, back);
}

/** How many bytes end with a whole letter: UTF-8 has one to four bytes a letter. */
function wholeLength(bytes: Uint8Array): number {
  const { length } = bytes;
  for (let back = 1; back <= 3 && back <= length; back++) {
    const byte = bytes[length - back]!;
    if ((byte & 0xc0) === 0x80) continue;
    const letter = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return letter > back ? length - back : length;
  }
  return length;
}

/** Of a long line that goes on after these bytes no more than is held of it: a letter has three bytes at most for each unit of a string. */
function withoutExcess(bytes: Uint8Array): Uint8Array {
  if (bytes.length <= 3 * MAX_HELD) return bytes;
  const feed = bytes.lastIndexOf(10) + 1;
  const start = feed + bytes.subarray(feed).lastIndexOf(13) + 1;
  return bytes.subarray(0, start + 3 * MAX_HELD);
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

/** A line without escape sequences, and no longer than anybody needs. */
export function plainLine(line: string): string {
  const cut = line.length > MAX_HELD ? line.slice(0, MAX_HELD) : line;
  const plain = /[\x1b\b\x00\x07]/.test(cut) ? cut.replace(ESCAPES, '') : cut;
  return plain.length > MAX_LINE ? plain.slice(0, MAX_LINE) : plain;
}
