import type { PickleMachine } from './machine.ts';
import { HEADROOM } from './memory.ts';
import type { WrittenRecord } from './values.ts';

/** Bytes that must be there after any pair, so that no single step has to look. */
const REACH = 512;

/**
 * Reads dicts of a frequent shape in one go, as Python writes nearly all of them: known keys by
 * reference, and values that are numbers, texts, references, or a list of references. Millions of
 * dicts differ in nothing else, and one opcode at a time costs three times as much.
 *
 * `start` is at EMPTY_DICT, and dicts that begin before `until` are read. Returns where it went on,
 * with the records on the stack: at the first dict that is not like that, with nothing changed that
 * reading it by opcodes would not change alike.
 */
export function readRecords(
  { memory, containers, objects, texts }: PickleMachine,
  bytes: Uint8Array,
  start: number,
  until: number,
  filled: number,
): number {
  const limit = filled - REACH;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const { memoTags, memoValues, tags, values } = memory;
  const { fields, frequent, placed, shapes } = containers;
  const { words, tags: fieldTags, low: fieldLow, high: fieldHigh, at: fieldAt } = fields;
  const record: WrittenRecord = {
    memory,
    fields,
    view,
    filled,
    start,
    end: start,
    last: start,
    tag: 0,
    remembered: false,
    keptFrom: 0,
    keptTo: 0,
  };
  const keys = frequent.length;
  let { memoCount, top } = memory;
  let pos = start;
  while (pos < until && bytes[pos] === 0x7d && top + HEADROOM < tags.length) {
    const done = pos++;
    let own = -1;
    if (bytes[pos] === 0x94) {
      own = memoCount++;
      pos++;
    }
    if (bytes[pos++] !== 0x28) return done;
    for (let word = 0; word < words.length; word++) words[word] = 0;
    let shape = 0;
    for (;;) {
      if (pos > limit || memoCount + 4 > memoTags.length) return done;
      // The key: a text that was remembered.
      let op = bytes[pos]!;
      let slot = 0;
      if (op === 0x6a) {
        slot = view.getUint32(pos + 1, true);
        pos += 5;
      } else if (op === 0x68) {
        slot = bytes[pos + 1]!;
        pos += 2;
      } else if (op === 0x75) {
        pos++;
        break;
      } else return done;
      if (slot >= memoCount || memoTags[slot] !== 5) return done;
      const key = memoValues[slot]!;
      if (shape === 0) {
        // Only a dict that begins with the marker of a frequent shape is read here.
        shape = key < keys ? frequent[key]! : 0;
        if (shape === 0) return done;
      }
      let tag = 2;
      // Halves as signed numbers, which the engine keeps as such; columns hold the same bits.
      let low = 0;
      let high = 0;
      const at = pos;
      record.last = at;
      record.keptTo = memoCount;
      op = bytes[pos++]!;
      switch (op) {
        case 0x8a: {
          // LONG1: addresses and times, of 6 or 7 bytes
          const length = bytes[pos]!;
          low = view.getInt32(pos + 1, true);
          high = view.getInt32(pos + 5, true);
          if (length === 6) {
            high &= 0xffff;
            if (high >= 0x8000) return done;
          } else if (length === 7) {
            high &= 0xffffff;
            if (high >= 0x200000) return done;
          } else return done;
          pos += 1 + length;
          break;
        }
        case 0x4a: // BININT
          low = view.getInt32(pos, true);
          if (low < 0) return done;
          pos += 4;
          break;
        case 0x4b: // BININT1
          low = bytes[pos]!;
          pos += 1;
          if (bytes[pos] === 0x4b && bytes[pos + 2] === 0x86) {
            // BININT1 and TUPLE2: the id of a pool
            tag = 10;
            low = objects.pair(low, bytes[pos + 1]!);
            pos += 3;
            if (bytes[pos] === 0x94) {
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
            slot = view.getUint32(pos, true);
            pos += 4;
          } else slot = bytes[pos++]!;
          if (slot >= memoCount) return done;
          tag = memoTags[slot]!;
          // Objects and unfinished dicts are not for this way.
          if (tag === 7 || tag === 9 || tag === 12) return done;
          low = memoValues[slot]! | 0;
          break;
        case 0x8c: {
          // SHORT_BINUNICODE
          const end = pos + 1 + bytes[pos]!;
          tag = 5;
          low = texts.intern(bytes, pos + 1, end);
          pos = end;
          if (bytes[pos] === 0x94) {
            memoTags[memoCount] = 5;
            memoValues[memoCount++] = low;
            pos++;
          }
          break;
        }
        case 0x5d: {
          // EMPTY_LIST, and in it references to records of one shape
          let list = -1;
          if (bytes[pos] === 0x94) {
            list = memoCount++;
            pos++;
          }
          tag = 8;
          if (bytes[pos] === 0x28) {
            pos++;
            let end = top;
            let item = 0;
            for (;;) {
              if (pos > limit || end - top === HEADROOM) return done;
              op = bytes[pos]!;
              if (op === 0x6a) {
                slot = view.getUint32(pos + 1, true);
                pos += 5;
              } else if (op === 0x68) {
                slot = bytes[pos + 1]!;
                pos += 2;
              } else break;
              if (slot >= memoCount) return done;
              const itemTag = memoTags[slot]!;
              if (item === 0) item = itemTag;
              if (itemTag !== item) return done;
              values[end++] = memoValues[slot]!;
            }
            if (op !== 0x65 || item < 32 || item >= 64) return done;
            pos++;
            tag = item + 32;
            low = shapes[item - 32]!.append(-1, memory, top, end);
          } else {
            // What follows an empty list is the next key, or the end; anything else fills it.
            const next = bytes[pos]!;
            const get = next === 0x68 ? 2 : next === 0x6a ? 5 : 0;
            if (get > 0 ? bytes[pos + get] === 0x61 : next !== 0x75) return done;
          }
          if (list >= 0) {
            memoTags[list] = tag;
            memoValues[list] = low;
          }
          break;
        }
        default:
          return done;
      }
      if (key < keys) {
        fieldTags[key] = tag;
        fieldLow[key] = low;
        fieldHigh[key] = high;
        fieldAt[key] = at;
      }
    }
    if (shape === 0) return done;
    memory.top = top;
    const position = placed[shape - 1] === 1 ? containers.position(top) : -1;
    const id = shapes[shape - 1]!.add(fields, position);
    if (own >= 0) {
      memoTags[own] = 31 + shape;
      memoValues[own] = id;
    }
    tags[top] = 31 + shape;
    values[top++] = id;
    const first = memory.memoCount;
    memory.memoCount = memoCount;
    memory.top = top;
    if (bytes[pos] === 0x7d && shapes[shape - 1]!.addAlike) {
      record.start = done;
      record.end = pos;
      record.tag = 31 + shape;
      record.remembered = own >= 0;
      record.keptFrom = own >= 0 ? first + 1 : first;
      pos = shapes[shape - 1]!.addAlike!(record);
      memoCount = memory.memoCount;
      top = memory.top;
    }
  }
  return pos;
}
