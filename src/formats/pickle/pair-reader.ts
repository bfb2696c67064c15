import { HEADROOM, type Memory } from './memory.ts';
import { CELL, type Fields } from './values.ts';

/** Bytes that must be there after any pair, so that no single step has to look. */
const REACH = 512;
/** Records with more keys are read by opcodes. */
const MOST_PAIRS = 64;

/** Why `PairReader.read` came back. */
export const END = 0;
/** It is not like the records that are read in one go. */
export const UNLIKE = 1;
/** Its keys are not those of the record before. */
export const OTHER_KEYS = 2;
/** The value at `pos` is a text, which is to be interned. */
export const TEXT = 3;
/** The value is a tuple of two numbers, `low` and `high`. */
export const TUPLE = 4;
/** The value is a list of records, which lie above the stack's top up to `itemsEnd`. */
export const ITEMS = 5;

/**
 * Reads the pairs of one record after the other. What needs a call is left to the caller, who then goes on
 * here: a loop without calls is what the engine makes fast, as it need not look again at every array.
 */
export class PairReader {
  pos = 0;
  memoCount = 0;
  /** Which pair of the record is next. */
  pair = 0;
  /** How many pairs the record before had; 0: its keys are to be learned. */
  pairs = 0;
  /** The number of the record's shape + 1. */
  shape = 0;
  /** The key whose value is left to the caller. */
  key = 0;
  low = 0;
  high = 0;
  itemsEnd = 0;
  /** What the items are, as a tag. */
  item = 0;
  /** Where the list of items is remembered; -1: nowhere. */
  listSlot = -1;
  /** The last text and the last tuple, as most are followed by the same: the caller says what they are. */
  textStart = 0;
  textEnd = 0;
  textId = -1;
  tupleLow = 0;
  tupleHigh = 0;
  tupleId = -1;
  readonly #memory: Memory;
  readonly #fields: Fields;
  /** By key: shape + 1 where it is the marker of a frequent one. */
  readonly #frequent: Uint8Array;
  /** Of each key of the record before, in their order, its slot of the memo and its place in the cells. */
  readonly #layout = new Int32Array(2 * MOST_PAIRS);

  constructor(memory: Memory, fields: Fields, frequent: Uint8Array) {
    this.#memory = memory;
    this.#fields = fields;
    this.#frequent = frequent;
  }

  /** Begins anew, in other bytes or after other opcodes: what was learned is no longer sure. */
  reset(): void {
    this.textId = -1;
    this.tupleId = -1;
    this.forgetKeys();
  }

  forgetKeys(): void {
    this.pairs = 0;
    this.#fields.clear();
  }

  /** Goes on at `pos`. Limits are 32-bit numbers, as the engine compares others as fractions. */
  read(view: DataView, filled: number): number {
    const { memoTags, memoValues, values } = this.#memory;
    const { cells } = this.#fields;
    const layout = this.#layout;
    const limit = (filled - REACH) | 0;
    const mostMemo = (memoTags.length - 4) | 0;
    const top = this.#memory.top | 0;
    const pairs = this.pairs;
    let { pos, memoCount, pair } = this;
    for (; ; pair++) {
      if (pos > limit || memoCount > mostMemo || pair >= MOST_PAIRS) return UNLIKE;
      // The key: a text that was remembered.
      let op = view.getUint8(pos);
      let slot = 0;
      if (op === 0x6a) {
        slot = view.getInt32(pos + 1, true);
        pos += 5;
      } else if (op === 0x68) {
        slot = view.getUint8(pos + 1);
        pos += 2;
      } else if (op === 0x75) {
        pos++;
        break;
      } else return UNLIKE;
      if (pairs === 0) {
        if (slot < 0 || slot >= memoCount || memoTags[slot] !== 5) return UNLIKE;
        const known = Math.min(memoValues[slot]!, this.#frequent.length);
        // Only a dict that begins with the marker of a frequent shape is read here.
        if (pair === 0) this.shape = this.#frequent[known] ?? 0;
        if (this.shape === 0) return UNLIKE;
        layout[2 * pair] = slot;
        layout[2 * pair + 1] = CELL * known;
      } else if (pair >= pairs || layout[2 * pair] !== slot) return OTHER_KEYS;
      const cell = layout[2 * pair + 1]!;
      let tag = 2;
      // Halves as signed numbers, which the engine keeps as such; columns hold the same bits.
      let low = 0;
      let high = 0;
      op = view.getUint8(pos++);
      switch (op) {
        case 0x8a: {
          // LONG1: addresses and times, of 6 or 7 bytes
          const length = view.getUint8(pos);
          low = view.getInt32(pos + 1, true);
          high = view.getInt32(pos + 5, true);
          if (length === 6) {
            high &= 0xffff;
            if (high >= 0x8000) return UNLIKE;
          } else if (length === 7) {
            high &= 0xffffff;
            if (high >= 0x200000) return UNLIKE;
          } else return UNLIKE;
          pos += 1 + length;
          break;
        }
        case 0x4a: // BININT
          low = view.getInt32(pos, true);
          if (low < 0) return UNLIKE;
          pos += 4;
          break;
        case 0x4b: // BININT1
          low = view.getUint8(pos);
          pos += 1;
          if (view.getUint8(pos) === 0x4b && view.getUint8(pos + 2) === 0x86) {
            // BININT1 and TUPLE2: the id of a pool
            high = view.getUint8(pos + 1);
            pos += 3;
            if (this.tupleId < 0 || low !== this.tupleLow || high !== this.tupleHigh) {
              this.tupleLow = low;
              this.tupleHigh = high;
              return this.#leave(TUPLE, pos, memoCount, pair, cell);
            }
            tag = 10;
            low = this.tupleId;
            high = 0;
            if (view.getUint8(pos) === 0x94) {
              memoTags[memoCount] = tag;
              memoValues[memoCount++] = low;
              pos++;
            }
          }
          break;
        case 0x4d: // BININT2
          low = view.getUint16(pos, true);
          pos += 2;
          break;
        case 0x6a: // LONG_BINGET
        case 0x68: // BINGET
          if (op === 0x6a) {
            slot = view.getInt32(pos, true);
            pos += 4;
          } else slot = view.getUint8(pos++);
          if (slot < 0 || slot >= memoCount) return UNLIKE;
          tag = memoTags[slot]!;
          // Objects and unfinished dicts are not for this way.
          if (tag === 7 || tag === 9 || tag === 12) return UNLIKE;
          low = memoValues[slot]! | 0;
          break;
        case 0x8c: {
          // SHORT_BINUNICODE
          const end = pos + 1 + view.getUint8(pos);
          let at = pos + 1;
          if (this.textId >= 0 && end - at === this.textEnd - this.textStart) {
            for (
              let old = this.textStart;
              at < end && view.getUint8(at) === view.getUint8(old);
              old++
            )
              at++;
          } else at = -1;
          if (at < end) {
            this.textStart = pos + 1;
            this.textEnd = end;
            return this.#leave(TEXT, end, memoCount, pair, cell);
          }
          tag = 5;
          low = this.textId;
          pos = end;
          if (view.getUint8(pos) === 0x94) {
            memoTags[memoCount] = 5;
            memoValues[memoCount++] = low;
            pos++;
          }
          break;
        }
        case 0x5d: {
          // EMPTY_LIST, and in it references to records of one shape
          let list = -1;
          if (view.getUint8(pos) === 0x94) {
            list = memoCount++;
            pos++;
          }
          if (view.getUint8(pos) === 0x28) {
            pos++;
            let end = top;
            let item = 0;
            for (;;) {
              if (pos > limit || end - top === HEADROOM) return UNLIKE;
              op = view.getUint8(pos);
              if (op === 0x6a) {
                slot = view.getInt32(pos + 1, true);
                pos += 5;
              } else if (op === 0x68) {
                slot = view.getUint8(pos + 1);
                pos += 2;
              } else break;
              if (slot < 0 || slot >= memoCount) return UNLIKE;
              const itemTag = memoTags[slot]!;
              if (item === 0) item = itemTag;
              if (itemTag !== item) return UNLIKE;
              values[end++] = memoValues[slot]!;
            }
            if (op !== 0x65 || item < 32 || item >= 64) return UNLIKE;
            this.item = item;
            this.itemsEnd = end;
            this.listSlot = list;
            return this.#leave(ITEMS, pos + 1, memoCount, pair, cell);
          }
          // What follows an empty list is the next key, or the end; anything else fills it.
          const next = view.getUint8(pos);
          const get = next === 0x68 ? 2 : next === 0x6a ? 5 : 0;
          if (get > 0 ? view.getUint8(pos + get) === 0x61 : next !== 0x75) return UNLIKE;
          tag = 8;
          if (list >= 0) {
            memoTags[list] = tag;
            memoValues[list] = 0;
          }
          break;
        }
        default:
          return UNLIKE;
      }
      cells[cell] = tag;
      cells[cell + 1] = low;
      cells[cell + 2] = high;
    }
    if (pairs === 0) this.pairs = pair;
    else if (pair < pairs) return OTHER_KEYS;
    this.pos = pos;
    this.memoCount = memoCount;
    return pair === 0 ? UNLIKE : END;
  }

  /** Takes the value that was left to the caller. */
  take(tag: number, low: number): void {
    this.#fields.set(this.key, tag, low, 0);
  }

  #leave(why: number, pos: number, memoCount: number, pair: number, cell: number): number {
    this.pos = pos;
    this.memoCount = memoCount;
    this.pair = pair + 1;
    this.key = cell / CELL;
    return why;
  }
}
