import { inflateSync } from 'fflate';
import { crc32 as checksum } from '../formats/python-heap/crc32.ts';

/** In the place of Node's own in a browser: what reading a packed recording needs of it. */
export function crc32(data: Uint8Array | string): number {
  return checksum(typeof data === 'string' ? new TextEncoder().encode(data) : data);
}

/** What would be longer is cut: its checksum then tells. */
export function inflateRawSync(
  packed: Uint8Array,
  { maxOutputLength }: { readonly maxOutputLength: number },
): Uint8Array {
  return inflateSync(packed, { out: new Uint8Array(maxOutputLength) });
}
