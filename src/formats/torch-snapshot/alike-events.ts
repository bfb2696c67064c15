import { EMPTY_STACK } from '../../model/allocations/actions.ts';
import { mixed } from '../pickle/list-trie.ts';
import { HEADROOM } from '../pickle/memory.ts';
import { TAG, type WrittenRecord } from '../pickle/values.ts';
import { type ActionCodes, NOT_ASKED } from './action-codes.ts';
import type { EventColumns } from './event-columns.ts';
import { layoutOf } from './event-layout.ts';
import type { Frames } from './frames.ts';

/** By how many bytes an event may be longer than the one before: by a list of references, mostly. */
const LONGER = 5 * HEADROOM + 32;
/** The upper half of a number of 6 or 7 bytes, of which none is negative or above 2^53. */
const HIGH_MASK = [0xffff, 0xffffff];
const HIGH_LIMIT = [0x8000, 0x200000];

/**
 * Reads events that are written as the one before them, but for what they did, address, size, time and stack. The bytes between
 * those are only compared with that one's, so that most events take half the time that reading each pair of them takes.
 */
export class AlikeEvents {
  /** How many rows there are after `read`, and the earliest time of those it added. */
  rows = 0;
  earliest = 0;
  readonly #frames: Frames;
  readonly #framesShape: number;
  readonly #codes: ActionCodes;

  constructor(frames: Frames, framesShape: number, codes: ActionCodes) {
    this.#frames = frames;
    this.#framesShape = framesShape;
    this.#codes = codes;
  }

  /**
   * `like` is the last of `rows`, and what this adds has its pool and tag. Stops before an event that is not like it, with nothing
   * changed that reading it in another way would not change alike; returns where.
   */
  read(like: WrittenRecord, columns: EventColumns, rows: number): number {
    this.rows = rows;
    this.earliest = Number.POSITIVE_INFINITY;
    const layout = layoutOf(like);
    if (!layout) return like.end;
    const { action, afterAction, address, afterAddress, size, afterSize } = layout;
    const { time, afterTime, frames } = layout;
    const { view, start, memory, tag: ownTag, remembered, keptFrom, keptTo } = like;
    const { memoTags, memoValues, tags, values } = memory;
    const codes = this.#codes.known;
    const { stacks: stackTree } = this.#frames;
    const frame = TAG.record + this.#framesShape;
    const stackTag = TAG.listOf + this.#framesShape;
    const addressMask = HIGH_MASK[afterAddress - address - 6]!;
    const addressLimit = HIGH_LIMIT[afterAddress - address - 6]!;
    const timeMask = HIGH_MASK[afterTime - time - 6]!;
    const timeLimit = HIGH_LIMIT[afterTime - time - 6]!;
    const pool = columns.pool[rows - 1]!;
    const taken = (remembered ? 1 : 0) + keptTo - keptFrom;
    const lastStart = like.filled - (like.end - start) - LONGER;
    const lastMemo = memoTags.length - taken - 1;
    const lastTop = tags.length - HEADROOM - 1;
    const room = columns.action.length;
    const {
      action: actions,
      address: addresses,
      size: sizes,
      time: times,
      stack: stacks,
    } = columns;
    let earliest = Number.POSITIVE_INFINITY;
    let { memoCount, top } = memory;
    let row = rows;
    let next = like.end;
    while (next <= lastStart && memoCount <= lastMemo && top <= lastTop && row < room) {
      let pos = next;
      if (!isSame(view, start, pos, action - start)) break;
      pos += action - start;
      // LONG_BINGET or BINGET of a text
      let op = view.getUint8(pos);
      let slot = op === 0x6a ? view.getUint32(pos + 1, true) : view.getUint8(pos + 1);
      if ((op !== 0x6a && op !== 0x68) || slot >= memoCount || memoTags[slot] !== TAG.text) break;
      const text = memoValues[slot]!;
      if (text >= codes.length || codes[text] === NOT_ASKED) break;
      actions[row] = codes[text]!;
      pos += op === 0x6a ? 5 : 2;

      if (!isSame(view, afterAction, pos, address - afterAction)) break;
      pos += address - afterAction;
      const addressHigh = view.getInt32(pos + 4, true) & addressMask;
      if (addressHigh >= addressLimit) break;
      addresses[2 * row] = view.getInt32(pos, true);
      addresses[2 * row + 1] = addressHigh;
      pos += afterAddress - address;

      if (!isSame(view, afterAddress, pos, size - afterAddress)) break;
      pos += size - afterAddress;
      op = view.getUint8(pos);
      if (op === 0x4a) {
        // BININT
        const bytes = view.getInt32(pos + 1, true);
        if (bytes < 0) break;
        sizes[row] = bytes;
        pos += 5;
      } else if (op === 0x4d) {
        // BININT2
        sizes[row] = view.getUint16(pos + 1, true);
        pos += 3;
      } else if (op === 0x4b) {
        // BININT1
        sizes[row] = view.getUint8(pos + 1);
        pos += 2;
      } else break;

      if (!isSame(view, afterSize, pos, time - afterSize)) break;
      pos += time - afterSize;
      const timeHigh = view.getInt32(pos + 4, true) & timeMask;
      if (timeHigh >= timeLimit) break;
      const then = timeHigh * 2 ** 32 + view.getUint32(pos, true);
      times[row] = then;
      pos += afterTime - time;

      if (!isSame(view, afterTime, pos, frames - afterTime)) break;
      pos += frames - afterTime;
      let isKept = false;
      let tag = 0;
      let stack = 0;
      op = view.getUint8(pos);
      if (op === 0x6a || op === 0x68) {
        // A list that another event had
        slot = op === 0x6a ? view.getUint32(pos + 1, true) : view.getUint8(pos + 1);
        if (slot >= memoCount) break;
        tag = memoTags[slot]!;
        stack = memoValues[slot]!;
        pos += op === 0x6a ? 5 : 2;
      } else if (op === 0x5d) {
        // EMPTY_LIST, MEMOIZE, and between MARK and APPENDS references to frames
        pos++;
        isKept = view.getUint8(pos) === 0x94;
        if (isKept) pos++;
        tag = TAG.list;
        if (view.getUint8(pos) === 0x28) {
          pos++;
          let end = top;
          let hash = 0;
          for (const most = top + HEADROOM; end < most; end++) {
            op = view.getUint8(pos);
            if (op !== 0x6a && op !== 0x68) break;
            slot = op === 0x6a ? view.getUint32(pos + 1, true) : view.getUint8(pos + 1);
            if (slot >= memoCount || memoTags[slot] !== frame) break;
            const item = memoValues[slot]!;
            hash = mixed(hash, item);
            values[end] = item;
            pos += op === 0x6a ? 5 : 2;
          }
          if (end === top || view.getUint8(pos) !== 0x65) break;
          pos++;
          tag = stackTag;
          stack = stackTree.hashedBackward(values, top, end, hash);
        }
      }
      if ((tag !== stackTag && tag !== TAG.list) || view.getUint8(pos) !== 0x75) break;
      stacks[row] = tag === stackTag ? stack : EMPTY_STACK;
      // Memory is zero to begin with: that of the first pool, which most have alone, is never touched.
      if (pool !== 0) columns.pool[row] = pool;
      if (columns.tag.length > 0) columns.tag[row] = columns.tag[rows - 1]!;
      if (then < earliest) earliest = then;

      // The memo gets the event itself, what it had in common with the other one, and its list.
      if (remembered) {
        memoTags[memoCount] = ownTag;
        memoValues[memoCount++] = row;
      }
      for (let kept = keptFrom; kept < keptTo; kept++) {
        memoTags[memoCount] = memoTags[kept]!;
        memoValues[memoCount++] = memoValues[kept]!;
      }
      if (isKept) {
        memoTags[memoCount] = tag;
        memoValues[memoCount++] = stack;
      }
      tags[top] = ownTag;
      values[top++] = row++;
      next = pos + 1;
    }
    memory.memoCount = memoCount;
    memory.top = top;
    this.rows = row;
    this.earliest = earliest;
    return next;
  }
}

/**
 * Stretches are of two bytes, a short key, or of four at least. Eight at a time are compared as one number: the layout has seen to it
 * that none of them is zero, which has two ways to be written; what is not a number is never the same, and read in another way.
 */
function isSame(view: DataView, one: number, other: number, length: number): boolean {
  const last = length - 8;
  if (last >= 0) {
    for (let i = 0; i < last; i += 8) {
      if (view.getFloat64(one + i, true) !== view.getFloat64(other + i, true)) return false;
    }
    return view.getFloat64(one + last, true) === view.getFloat64(other + last, true);
  }
  if (length < 4) return length === 2 && view.getUint16(one, true) === view.getUint16(other, true);
  return (
    view.getInt32(one, true) === view.getInt32(other, true) &&
    view.getInt32(one + length - 4, true) === view.getInt32(other + length - 4, true)
  );
}
