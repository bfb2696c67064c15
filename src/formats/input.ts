import { FormatError } from '../base/errors.ts';
import type { EventsSoFar } from '../model/allocations/trace-scan.ts';
import type { TimeZone } from './log-lines/index.ts';

/**
 * A file to read, wherever it is. Encodings, line ends and sizes are solved here, once: UTF-8 or
 * UTF-16 by byte order mark, LF or CR LF, and lines of a file that is larger than a string may be.
 */
export interface Input {
  /** For messages and as the recording's name. */
  readonly name: string;
  /** How large it is, unpacked, where that is known: a hint, which may be wrong. */
  readonly size: number | null;
  bytes(): Uint8Array;
  text(): string;
  /** Pieces of a file of any size, each of use only until the next is asked for. */
  stream(): Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
  /** Is told now and then of the events that are read so far, in memory that threads share; only snapshots tell. */
  readonly watch?: EventWatch;
  /** What the file itself may not say; a format that uses one states it in a warning. */
  readonly hints: ImportHints;
  /** Lines without their ends, or with them when `keepEnds`: then a last line without one was cut. */
  lines(options?: { keepEnds?: boolean }): Iterable<string>;
}

/** Is told of columns of which the first `rows` events are filled. */
export type EventWatch = (columns: EventsSoFar, rows: number) => void;

export interface ImportHints {
  /** When the file was last changed, in Unix seconds. */
  readonly modified?: number;
  /** Zone of the clock that wrote its times; the local one when absent. */
  readonly timeZone?: TimeZone;
  /** Bytes of one unit of its numbers. */
  readonly unit?: number;
  /** Seconds between its samples. */
  readonly interval?: number;
  /** The machine's memory in bytes. */
  readonly memory?: number;
  /** Of a trace, only these events of each device: `from` is the first of them, `to` is not. */
  readonly events?: { readonly from: number; readonly to: number };
  /** How many GPUs write in turn, where no field of the file tells them apart. */
  readonly gpus?: number;
}

/** Longer texts than this cannot be one string in JavaScript. */
const MAX_TEXT_BYTES = 500e6;
/** A longer line is no line of any format: the file is binary, or broken. */
const MAX_LINE = 64e6;

/** An input over pieces of a file, which are asked for anew by each method. */
export function makeInput(
  name: string,
  pieces: () => Iterable<Uint8Array>,
  hints: ImportHints = {},
  streaming: Pick<Input, 'size' | 'stream' | 'watch'> = { size: null, stream: pieces },
): Input {
  return {
    name,
    hints,
    ...streaming,
    bytes: () => join([...pieces()]),
    text() {
      const bytes = join([...pieces()]);
      if (bytes.length > MAX_TEXT_BYTES) {
        throw new FormatError(`${name} is too large to read as one text`, {
          hint: 'CSV and Arrow files may be of any size',
        });
      }
      return [...decode([bytes])].join('');
    },
    lines: (options = {}) => splitLines(name, decode(pieces()), options.keepEnds ?? false),
  };
}

/** The beginning of a file as text, for sniffing. */
export function headText(head: Uint8Array): string {
  return [...decode([head])].join('');
}

function encodingOf(head: Uint8Array): string {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le';
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be';
  return 'utf-8';
}

/** Pieces of text; the byte order mark is no part of it. */
function* decode(pieces: Iterable<Uint8Array>): Generator<string> {
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  for (const piece of pieces) {
    if (piece.length === 0) continue;
    decoder ??= new TextDecoder(encodingOf(piece));
    yield decoder.decode(piece, { stream: true });
  }
  yield decoder?.decode() ?? '';
}

function* splitLines(name: string, texts: Iterable<string>, keepEnds: boolean): Generator<string> {
  let rest = '';
  const finish = (line: string) => (keepEnds ? line : line.replace(/\r?\n$/, ''));
  for (const text of texts) {
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      yield finish(rest + text.slice(start, end + 1));
      rest = '';
      start = end + 1;
    }
    rest += text.slice(start);
    if (rest.length > MAX_LINE) throw new FormatError(`${name} has a line that never ends`);
  }
  if (rest !== '') yield finish(rest);
}

function join(pieces: readonly Uint8Array[]): Uint8Array {
  if (pieces.length === 1) return pieces[0]!;
  const joined = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let offset = 0;
  for (const piece of pieces) {
    joined.set(piece, offset);
    offset += piece.length;
  }
  return joined;
}
