import { type Edit, pick } from './target.ts';
import type { Random } from './values.ts';

/** Protocol buffers that stay so at the top: fields come twice, go, change places, get other lengths and numbers. */

interface Field {
  readonly start: number;
  /** Behind tag and length. */
  readonly value: number;
  readonly end: number;
}

/** As far as they can be told. */
function fieldsOf(bytes: Uint8Array): Field[] {
  const fields: Field[] = [];
  const varint = (from: number): [value: number, end: number] => {
    let [value, at, factor] = [0, from, 1];
    for (; at < bytes.length; factor *= 128) {
      const byte = bytes[at++]!;
      value += (byte & 127) * factor;
      if (byte < 128) break;
    }
    return [value, at];
  };
  for (let at = 0; at < bytes.length; ) {
    const [tag, behind] = varint(at);
    const [length, value] = varint(behind);
    const end = tag % 8 === 2 ? value + length : value;
    if (end > bytes.length) break;
    fields.push({ start: at, value: tag % 8 === 2 ? value : behind, end });
    at = end;
  }
  return fields;
}

/** On either side of what fits: one byte, 32 bits, a number's 53, 63 and 64 bits, and a number that never ends. */
const NUMBERS: readonly (readonly number[])[] = [
  [0],
  [0x7f],
  [0x80, 0x01],
  [0xff, 0xff, 0xff, 0xff, 0x0f],
  [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f],
  [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01],
  [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
  new Array(12).fill(0xff),
];

const joined = (...parts: readonly (Uint8Array | readonly number[])[]) =>
  Uint8Array.from(parts.flatMap((part) => [...part]));

export const editProtobuf: Edit = (bytes, random: Random) => {
  const fields = fieldsOf(bytes);
  if (fields.length < 2) return bytes;
  const field = pick(random, fields);
  const whole = bytes.subarray(field.start, field.end);
  const [before, after] = [bytes.subarray(0, field.start), bytes.subarray(field.end)];
  switch (Math.floor(random() * 5)) {
    case 0:
      return joined(before, whole, whole, after);
    case 1:
      return joined(before, after);
    case 2: {
      const other = pick(random, fields);
      return joined(before, bytes.subarray(other.start, other.end), after);
    }
    case 3: {
      const at = field.value + Math.floor(random() * Math.max(1, field.end - field.value));
      return joined(bytes.subarray(0, at), pick(random, NUMBERS), bytes.subarray(at + 1));
    }
    default: {
      // The same kind with another number inside and the length that fits it.
      const inside = bytes.subarray(field.value, field.end);
      const at = Math.floor(random() * Math.max(1, inside.length));
      const other = joined(inside.subarray(0, at), pick(random, NUMBERS), inside.subarray(at + 1));
      const tag = bytes.subarray(field.start, field.start + 1);
      return other.length < 128 && inside.length !== field.end - field.start - 1
        ? joined(before, tag, [other.length], other, after)
        : joined(before, tag, other, after);
    }
  }
};
