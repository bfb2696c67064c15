/**
 * What lies on the machine's stack: a tag and a number. Only what is no part of a known record is
 * ever made into an object.
 */
export const TAG = {
  none: 0,
  bool: 1,
  /** A whole number that a double holds exactly. */
  int: 2,
  /** An unsigned 64-bit number as two halves in the place of the double, the lower first. */
  wide: 3,
  float: 4,
  /** Id in Texts. */
  text: 5,
  bytes: 6,
  /** An empty dict or list. */
  dict: 7,
  list: 8,
  /** Position in the machine's objects: a list, a dict or a number that was memoised. */
  object: 9,
  /** A tuple or list of two whole numbers: id in the machine's pairs. */
  pair: 10,
  /** A list of texts: node of the machine's trie of lists. */
  texts: 11,
  /** Slot of the memo where the value is kept: containers change after they were put there. */
  alias: 12,
  /** Plus the number of the shape: one record of it, and a list of them. */
  record: 32,
  listOf: 64,
} as const;

/** Values side by side. */
export interface Cells {
  readonly tags: Uint8Array;
  readonly values: Float64Array;
  /** The same memory as halves, for `wide`. */
  readonly halves: Uint32Array;
}

/** A stack of values, and what was remembered of them. */
export interface StackAndMemo extends Cells {
  top: number;
  memoCount: number;
  readonly memoTags: Uint8Array;
  readonly memoValues: Uint32Array;
}

/** The values of one dict, by the numbers of the known keys. */
export interface Fields {
  /** `none` for a key that it lacks. */
  readonly tags: Uint8Array;
  /** Whole numbers as halves of 64 bits, two's complement; ids are in the lower. */
  readonly low: Uint32Array;
  readonly high: Uint32Array;
  /** Fractions only. */
  readonly floats: Float64Array;
  /** The tags, to be cleared in fewer steps. */
  readonly words: Uint32Array;
  /** Where the value of a frequent shape's dict is written. */
  readonly at: Uint32Array;
}

export function newFields(keys: number): Fields {
  const words = new Uint32Array(Math.ceil(keys / 4));
  return {
    tags: new Uint8Array(words.buffer, 0, keys),
    low: new Uint32Array(keys),
    high: new Uint32Array(keys),
    floats: new Float64Array(keys),
    at: new Uint32Array(keys),
    words,
  };
}

/** A dict that was just added, as it is written: what those after it may be like. */
export interface WrittenRecord {
  readonly memory: StackAndMemo;
  readonly fields: Fields;
  readonly view: DataView;
  /** Bytes of `view` that are filled. */
  readonly filled: number;
  /** Where its bytes begin and end, and where its last value does. */
  start: number;
  end: number;
  last: number;
  /** What it is on the stack and in the memo. */
  tag: number;
  /** Whether it was remembered itself. */
  remembered: boolean;
  /** Where the memo has values of it that were remembered, but for the last. */
  keptFrom: number;
  keptTo: number;
}

/** A dict of a known kind, which is written into columns instead of being made. */
export interface Shape {
  /** The key by which such a dict is known. */
  readonly marker: string;
  /** Most dicts of the file are of this shape: they are worth a way of their own. */
  readonly frequent?: boolean;
  /**
   * Takes a new dict and returns a number for it below 2^32. `position` is its place in the list it
   * is about to join, -1 for a shape without `length`.
   */
  add(fields: Fields, position: number): number;
  /** Takes those that follow and are written alike, as far as they are; returns where it went on. */
  addAlike?(record: WrittenRecord): number;
  /** Appends such dicts to a list of them (-1: a new list); returns the list's number. */
  append(list: number, items: Cells, from: number, to: number): number;
  /** How many dicts a list has; only where `add` wants to know its position. */
  length?(list: number): number;
}

/** What a pickle holds besides records. */
export type PickleValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | readonly PickleValue[]
  | ReadonlyMap<string, PickleValue>
  | RecordRef;

export interface RecordRef {
  readonly shape: Shape;
  /** One dict, or a list of them. */
  readonly kind: 'record' | 'list';
  readonly id: number;
}

export function isRef(value: PickleValue | undefined): value is RecordRef {
  return typeof value === 'object' && value !== null && 'shape' in value;
}
