import { crc32 } from 'node:zlib';
import { zipSync } from 'fflate';
import type { Files } from './target.ts';
import { otherWord, type Random } from './values.ts';

/** Packs whose sums fit what they hold, and whose headers need not. */

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;

/** Fields of a header: where, and how many bytes. */
const FIELDS: Readonly<Record<number, readonly (readonly [at: number, bytes: 2 | 4])[]>> = {
  [LOCAL]: [
    [6, 2],
    [8, 2],
    [18, 4],
    [22, 4],
    [26, 2],
    [28, 2],
  ],
  [CENTRAL]: [
    [8, 2],
    [10, 2],
    [20, 4],
    [24, 4],
    [28, 2],
    [30, 2],
    [32, 2],
    [42, 4],
  ],
  [END]: [
    [8, 2],
    [10, 2],
    [12, 4],
    [16, 4],
    [20, 2],
  ],
};

export const zipped = (files: Files, deflated: boolean): Uint8Array =>
  zipSync(Object.fromEntries(files), { level: deflated ? 6 : 0 });

/** One to three fields of headers become others. */
export function editHeaders(zip: Uint8Array, random: Random): Uint8Array {
  const result = zip.slice();
  const view = new DataView(result.buffer);
  const headers: number[] = [];
  for (let at = 0; at + 22 <= zip.length; at++) {
    if (zip[at] === 0x50 && FIELDS[view.getUint32(at, true)]) headers.push(at);
  }
  for (let n = 1 + Math.floor(random() * 3); n > 0 && headers.length > 0; n--) {
    const header = headers[Math.floor(random() * headers.length)]!;
    const fields = FIELDS[view.getUint32(header, true)];
    if (!fields) continue;
    const [at, bytes] = fields[Math.floor(random() * fields.length)]!;
    if (header + at + bytes > zip.length) continue;
    const place = header + at;
    if (bytes === 2)
      view.setUint16(place, otherWord(random, 32, view.getUint16(place, true)) & 0xffff, true);
    else view.setUint32(place, otherWord(random, 32, view.getUint32(place, true)), true);
  }
  return result;
}

/** The sum of each stored entry anew, in both of its headers, as far as those can be followed. */
export function withSums(zip: Uint8Array): Uint8Array {
  const result = zip.slice();
  const view = new DataView(result.buffer);
  for (let at = 0; at + 46 <= zip.length; at++) {
    if (view.getUint32(at, true) !== CENTRAL || view.getUint16(at + 10, true) !== 0) continue;
    const local = view.getUint32(at + 42, true);
    if (local + 30 > zip.length) continue;
    const start = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
    const sum = crc32(result.subarray(start, start + view.getUint32(at + 20, true)));
    view.setUint32(at + 16, sum, true);
    if (view.getUint32(local, true) === LOCAL) view.setUint32(local + 14, sum, true);
  }
  return result;
}
