import type { Edit } from './target.ts';
import { pick } from './target.ts';
import { otherLong, otherNumber, otherWord, type Random } from './values.ts';

/** Pickles that stay sequences of opcodes: their arguments change, opcodes go, come twice or change places. */

/** Bytes of an opcode's fixed argument, and of the length that a variable one begins with. */
const FIXED: Readonly<Record<number, number>> = {
  106: 4,
  104: 1,
  113: 1,
  114: 4,
  75: 1,
  77: 2,
  74: 4,
  71: 8,
  128: 1,
  149: 8,
};
const COUNTED: Readonly<Record<number, number>> = {
  138: 1,
  139: 4,
  140: 1,
  85: 1,
  88: 4,
  84: 4,
  141: 8,
  67: 1,
  66: 4,
  142: 8,
  150: 8,
};
/** Plain opcodes that a pickle may have anywhere: marks, containers, constants, the memo, the end. */
const PLAIN = [
  0x28, 0x7d, 0x5d, 0x29, 0x4e, 0x88, 0x89, 0x75, 0x73, 0x65, 0x61, 0x85, 0x86, 0x87, 0x74, 0x94,
  0x30, 0x31, 0x32, 0x2e,
];

const known = new WeakMap<Uint8Array, number[]>();

/** Where each opcode begins; the last place is the end. */
function opcodes(bytes: Uint8Array): number[] {
  let starts = known.get(bytes);
  if (starts) return starts;
  starts = [];
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < bytes.length; ) {
    starts.push(at);
    const code = bytes[at++]!;
    const counted = COUNTED[code];
    if (counted !== undefined && at + counted <= bytes.length) {
      at += counted + (counted === 1 ? bytes[at]! : view.getUint32(at, true));
    } else at += FIXED[code] ?? 0;
  }
  starts.push(bytes.length);
  known.set(bytes, starts);
  return starts;
}

const joined = (...parts: Uint8Array[]) => new Uint8Array(Buffer.concat(parts));

export const editPickle: Edit = (bytes, random) => {
  const starts = opcodes(bytes);
  const place = () => Math.floor(random() * (starts.length - 1));
  const at = place();
  const [from, to] = [starts[at]!, starts[at + 1]!];
  const roll = random();
  if (roll < 0.5) return withArgument(bytes, from, random);
  const other = place();
  const copy = bytes.subarray(
    starts[other],
    starts[Math.min(starts.length - 1, other + 1 + Math.floor(random() * 4))],
  );
  if (roll < 0.6) return joined(bytes.subarray(0, from), bytes.subarray(to));
  if (roll < 0.75) return joined(bytes.subarray(0, from), copy, bytes.subarray(from));
  if (roll < 0.85) return joined(bytes.subarray(0, from), copy, bytes.subarray(to));
  return joined(
    bytes.subarray(0, from),
    Uint8Array.of(pick(random, PLAIN)),
    bytes.subarray(random() < 0.5 ? from : to),
  );
};

function withArgument(bytes: Uint8Array, from: number, random: Random): Uint8Array {
  const result = bytes.slice();
  const view = new DataView(result.buffer);
  const code = bytes[from]!;
  const at = from + 1;
  const width = FIXED[code] ?? COUNTED[code] ?? 0;
  if (at + width > bytes.length) return result;
  if (code === 0x47) view.setFloat64(at, otherNumber(random, view.getFloat64(at)));
  else if (width === 8) view.setBigUint64(at, otherLong(random, view.getBigUint64(at, true)), true);
  else if (width === 4) view.setUint32(at, otherWord(random, 32, view.getUint32(at, true)), true);
  else if (width > 0) result[at] = otherWord(random, 8, bytes[at]!);
  else result[from] = pick(random, PLAIN);
  return result;
}
