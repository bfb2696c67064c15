/**
 * What V8 takes for one value without what it refers to, in bytes: a model of the layout in Node 20
 * (64 bits, no compressed pointers). docs/sizes.md says how exact; test/sizes holds it against heap snapshots.
 */

const POINTER = 8;
/** Map, properties, elements. */
const OBJECT = 3 * POINTER;
/** Map and length. */
const ARRAY_HEADER = 2 * POINTER;
/** An object that gets more names than these one by one becomes a dictionary. */
const MOST_FAST = 128;

const padded = (bytes: number) => Math.ceil(bytes / POINTER) * POINTER;
const powerOf2 = (n: number) => 2 ** Math.ceil(Math.log2(Math.max(n, 1)));
/** Bytes of `n` slots outside of an object; an empty one is shared by all. */
export const slots = (n: number): number => (n === 0 ? 0 : ARRAY_HEADER + n * POINTER);

/** Small whole numbers lie in the slot itself. */
const isSmall = (value: number) =>
  Number.isInteger(value) && Math.abs(value) < 2 ** 31 && !Object.is(value, -0);

/** Of values that are no objects. */
export function primitiveSize(value: unknown): number {
  switch (typeof value) {
    case 'string':
      return stringSize(value);
    case 'number':
      return isSmall(value) ? 0 : 2 * POINTER;
    case 'bigint':
      return ARRAY_HEADER + POINTER * Math.ceil(value.toString(16).replace('-', '').length / 16);
    case 'symbol':
      return 3 * POINTER;
    default:
      return 0;
  }
}

function stringSize(text: string): number {
  // One character is one of a table that V8 has anyway.
  if (text.length < 2) return 0;
  const wide = /[^\x00-\xff]/.test(text);
  return ARRAY_HEADER + padded(text.length * (wide ? 2 : 1));
}

/** An object with so many named properties. */
export function recordSize(names: number): number {
  if (names === 0) return OBJECT + 4 * POINTER;
  if (names <= MOST_FAST) return OBJECT + names * POINTER;
  // Three slots a name, and room to grow.
  const capacity = powerOf2(names + names / 2);
  return OBJECT + ARRAY_HEADER + 6 * POINTER + 3 * POINTER * capacity;
}

/** Whether property names belong to the object; those of others belong to their shape. */
export const holdsNames = (names: number): boolean => names > MOST_FAST;

export const arraySize = (length: number): number => OBJECT + POINTER + slots(length);

/** Tables of 4 places or more, each full when it is full; two places share a bucket. */
const table = (size: number, slotsEach: number) => {
  const capacity = powerOf2(Math.max(size, 4));
  return ARRAY_HEADER + 3 * POINTER + (capacity / 2) * POINTER + capacity * slotsEach * POINTER;
};
export const mapSize = (size: number): number => OBJECT + POINTER + table(size, 3);
export const setSize = (size: number): number => OBJECT + POINTER + table(size, 2);

/** Objects of a fixed layout, without their data. */
export const FIXED = {
  date: 96 + 2 * POINTER,
  regexp: 7 * POINTER,
  arrayBuffer: 88,
  view: 96,
  closure: 64,
  other: OBJECT + 2 * POINTER,
} as const;
