import { crc32, inflateRawSync } from 'node:zlib';
import { FormatError } from '../../base/errors.ts';

/**
 * Reads zip files that may be damaged or hostile: every offset is checked, an entry is believed
 * only if both of its headers name it alike and its sum is right, and nothing is inflated beyond
 * the size it claims. https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT
 */
export interface ZipEntry {
  readonly name: string;
  readonly method: number;
  readonly crc: number;
  readonly size: number;
  readonly originalSize: number;
  /** Where its compressed bytes begin. */
  readonly start: number;
}

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const END_BYTES = 22;
const MAX_COMMENT = 0xffff;
/** Deflate cannot shrink more than 1032-fold: a header that claims more lies about its size. */
const MAX_RATIO = 1032;

export function readDirectory(bytes: Uint8Array): ZipEntry[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    const end = findEnd(view);
    const count = view.getUint16(end + 10, true);
    const entries: ZipEntry[] = [];
    let at = view.getUint32(end + 16, true);
    for (let i = 0; i < count; i++) {
      const { entry, next } = readEntry(bytes, view, at);
      entries.push(entry);
      at = next;
    }
    // A count that was damaged would hide the last files.
    if (at !== end) throw new FormatError('its directory is damaged');
    return entries;
  } catch (error) {
    if (error instanceof RangeError) throw new FormatError('its directory is cut off');
    throw error;
  }
}

function findEnd(view: DataView): number {
  const lowest = Math.max(0, view.byteLength - END_BYTES - MAX_COMMENT);
  for (let at = view.byteLength - END_BYTES; at >= lowest; at--) {
    if (view.getUint32(at, true) === END) return at;
  }
  throw new FormatError('its end is missing');
}

function readEntry(
  bytes: Uint8Array,
  view: DataView,
  at: number,
): { entry: ZipEntry; next: number } {
  if (view.getUint32(at, true) !== CENTRAL) throw new FormatError('its directory is damaged');
  const nameBytes = view.getUint16(at + 28, true);
  const name = text(bytes, at + 46, nameBytes);
  const local = view.getUint32(at + 42, true);
  const localName = text(bytes, local + 30, view.getUint16(local + 26, true));
  if (view.getUint32(local, true) !== LOCAL || localName !== name) {
    throw new FormatError('one of its entries has a damaged header');
  }
  const entry = {
    name,
    method: view.getUint16(at + 10, true),
    crc: view.getUint32(at + 16, true),
    size: view.getUint32(at + 20, true),
    originalSize: view.getUint32(at + 24, true),
    start: local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true),
  };
  const extra = view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  return { entry, next: at + 46 + nameBytes + extra };
}

function text(bytes: Uint8Array, start: number, length: number): string {
  return new TextDecoder().decode(bytes.subarray(start, start + length));
}

/** The bytes of an entry; throws FormatError when they are not those that were packed. */
export function readEntryBytes(bytes: Uint8Array, entry: ZipEntry): Uint8Array {
  const { start, size, originalSize } = entry;
  if (originalSize > size * MAX_RATIO) throw new FormatError('it lies about its size');
  const packed = bytes.subarray(start, start + size);
  const whole = entry.method === 0 ? packed.slice() : inflate(packed, entry);
  if (whole.length !== originalSize || crc32(whole) !== entry.crc) {
    throw new FormatError('it is damaged');
  }
  return whole;
}

function inflate(packed: Uint8Array, { method, originalSize }: ZipEntry): Uint8Array {
  if (method !== 8) throw new FormatError(`it is packed by method ${method}`);
  try {
    const inflated = inflateRawSync(packed, { maxOutputLength: Math.max(1, originalSize) });
    // Small buffers come out of a pool, unaligned for typed arrays; large ones are not copied.
    return inflated.byteOffset % 8 === 0
      ? new Uint8Array(inflated.buffer, inflated.byteOffset, inflated.length)
      : new Uint8Array(inflated);
  } catch (error) {
    throw new FormatError('it is damaged', { cause: error });
  }
}
