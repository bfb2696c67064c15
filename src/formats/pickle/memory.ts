import { FormatError } from '../../base/errors.ts';
import { type StackAndMemo, TAG } from './values.ts';

/** More values than any snapshot keeps waiting at once (a pickler may list all events at the end). */
const MAX_STACK = 1 << 25;
/** Picklers number the memo from 0 on; some leave gaps. */
const MAX_GAP = 1 << 20;
const MAX_MARKS = 1000;
const LEAST_MEMO = 1 << 12;
const MOST_MEMO = 1 << 27;
/** Room above the top that is always there. */
export const HEADROOM = 512;

/** Where a number goes that the pickle wants to refer to later. */
interface NumberKeeper {
  keep(memory: Memory, place: number): number;
}

/** The machine's stack, marks and memo, in typed arrays: a tag and a number for each value. */
export class Memory implements StackAndMemo {
  top = 0;
  values = new Float64Array(1 << 12);
  tags = new Uint8Array(1 << 12);
  halves = new Uint32Array(this.values.buffer);
  readonly marks = new Int32Array(MAX_MARKS);
  marked = 0;
  memoCount = 0;
  memoTags: Uint8Array<ArrayBuffer>;
  memoValues: Uint32Array<ArrayBuffer>;

  /** Room for so many remembered values is set aside; what is not touched costs nothing. */
  constructor(expected: number) {
    const slots = Math.min(Math.max(expected, LEAST_MEMO), MOST_MEMO);
    this.memoTags = new Uint8Array(slots);
    this.memoValues = new Uint32Array(slots);
  }

  /** Makes sure that there is room above the top. */
  reserve(): void {
    if (this.top + HEADROOM + 1 > this.tags.length) this.#grow();
  }

  #grow(): void {
    if (this.tags.length >= MAX_STACK) throw new FormatError('lists more than any snapshot');
    const values = new Float64Array(this.values.length * 2);
    const tags = new Uint8Array(this.tags.length * 2);
    const halves = new Uint32Array(values.buffer);
    halves.set(this.halves);
    tags.set(this.tags);
    this.values = values;
    this.tags = tags;
    this.halves = halves;
  }

  push(tag: number, value: number): void {
    this.tags[this.top] = tag;
    this.values[this.top++] = value;
  }

  /** By halves, as a double that is none must not be touched as one. */
  duplicate(): void {
    this.need(1);
    const { top, halves } = this;
    this.tags[top] = this.tags[top - 1]!;
    halves[2 * top] = halves[2 * top - 2]!;
    halves[2 * top + 1] = halves[2 * top - 1]!;
    this.top++;
  }

  pop(): void {
    // As in Python: a mark that lies on top is what is popped.
    if (this.marked > 0 && this.lowest() === this.top) this.marked--;
    else {
      this.need(1);
      this.top--;
    }
  }

  /** A new value below those from `at` on; where those are now. */
  insert(at: number, tag: number): number {
    this.tags.copyWithin(at + 1, at, this.top);
    this.halves.copyWithin(2 * at + 2, 2 * at, 2 * this.top);
    this.tags[at] = tag;
    this.values[at] = 0;
    this.top++;
    return at + 1;
  }

  need(count: number): void {
    if (this.top - count < this.lowest()) throw new FormatError('uses a value that is not there');
  }

  /** Values below the last mark are not for the taking. */
  lowest(): number {
    return this.marked > 0 ? this.marks[this.marked - 1]! : 0;
  }

  mark(): void {
    if (this.marked === MAX_MARKS) throw new FormatError('is nested more deeply than any snapshot');
    this.marks[this.marked++] = this.top;
  }

  /** Takes the last mark off, and says where it was. */
  unmark(): number {
    if (this.marked === 0) throw new FormatError('ends a list or dict that it never began');
    return this.marks[--this.marked]!;
  }

  /** Remembers the value on top. A container moves to the memo, and an alias stays behind. */
  put(slot: number, objects: NumberKeeper): void {
    this.need(1);
    if (slot >= this.memoTags.length) this.#growMemo(slot);
    const place = this.top - 1;
    if (this.tags[place]! < TAG.text) {
      // Python never memoises a number, and the memo has no room for a double.
      this.values[place] = objects.keep(this, place);
      this.tags[place] = TAG.object;
    }
    const tag = this.tags[place]!;
    this.memoTags[slot] = tag;
    this.memoValues[slot] = this.values[place]!;
    if (slot >= this.memoCount) this.memoCount = slot + 1;
    if (tag === TAG.dict || tag === TAG.list || tag >= TAG.listOf) {
      this.tags[place] = TAG.alias;
      this.values[place] = slot;
    }
  }

  #growMemo(slot: number): void {
    if (slot > this.memoCount + MAX_GAP) {
      throw new FormatError(`stores a value as number ${slot} after ${this.memoCount} others`);
    }
    const length = Math.max(this.memoTags.length * 2, slot + 1);
    const tags = new Uint8Array(length);
    const values = new Uint32Array(length);
    tags.set(this.memoTags);
    values.set(this.memoValues);
    this.memoTags = tags;
    this.memoValues = values;
  }

  /** Puts what an alias stands for in its place. */
  resolve(place: number): void {
    if (this.tags[place] !== TAG.alias) return;
    const slot = this.values[place]!;
    this.tags[place] = this.memoTags[slot]!;
    this.values[place] = this.memoValues[slot]!;
  }

  tagAt(place: number): number {
    const tag = this.tags[place]!;
    return tag === TAG.alias ? this.memoTags[this.values[place]!]! : tag;
  }

  valueAt(place: number): number {
    const value = this.values[place]!;
    return this.tags[place] === TAG.alias ? this.memoValues[value]! : value;
  }

  /** Changes the container at a place, wherever it is kept. */
  set(place: number, tag: number, value: number): void {
    if (this.tags[place] === TAG.alias) {
      const slot = this.values[place]!;
      this.memoTags[slot] = tag;
      this.memoValues[slot] = value;
    } else {
      this.tags[place] = tag;
      this.values[place] = value;
    }
  }
}
