import { FormatError } from '../../base/errors.ts';
import type { Bytes } from './bytes.ts';

/** What a capture says of itself before its records. */
export interface Header {
  readonly version: number;
  /** As sys.hexversion. */
  readonly python: number;
  readonly native: boolean;
  /** Only sums by call stack are in it, of the peak and of the end. */
  readonly aggregated: boolean;
  /** Unix milliseconds. */
  readonly started: number;
  readonly command: string;
  readonly mainThread: number;
  /** Frames of memray itself, which begin every stack of the main thread. */
  readonly skipped: number;
}

const MAGIC = [...new TextEncoder().encode('memray'), 0];
/** Written by memray 1.17 to 1.20; older ones have other records. */
const KNOWN = { oldest: 12, newest: 13 };
const WITH_PATHS = 13;
/** Lists of paths end with an empty one. */
const MOST_PATHS = 10_000;

export const isMemray = (head: Uint8Array) => MAGIC.every((byte, i) => head[i] === byte);

export function readHeader(bytes: Bytes, name: string): Header {
  for (const byte of MAGIC) {
    if (bytes.byte() !== byte) {
      throw new FormatError(`${name} is no capture of memray`, {
        hint: 'of LZ4 files only those of memray are read',
      });
    }
  }
  const version = bytes.u32();
  if (version < KNOWN.oldest || version > KNOWN.newest) {
    throw new FormatError(
      `${name} is of version ${version} of memray's captures; ${KNOWN.oldest} and ${KNOWN.newest} are known`,
      { hint: `with the memray that wrote it: memray stats ${name}, or memray flamegraph ${name}` },
    );
  }
  const python = bytes.u32();
  const native = bytes.byte() !== 0;
  const format = bytes.byte();
  if (format > 1) throw bytes.refusal(`has records of an unknown kind (${format})`);
  bytes.skip(16);
  const started = bytes.u64();
  bytes.skip(8);
  const command = bytes.text();
  bytes.skip(4);
  const mainThread = bytes.u64();
  const skipped = bytes.u64();
  bytes.skip(3);
  if (version >= WITH_PATHS) {
    bytes.text();
    for (let lists = 0, paths = 0; lists < 2; paths++) {
      if (bytes.text() === '') lists++;
      if (paths > MOST_PATHS) throw bytes.refusal('lists more paths than any program has');
    }
  }
  return {
    version,
    python,
    native,
    aggregated: format === 1,
    started,
    command,
    mainThread,
    skipped,
  };
}
