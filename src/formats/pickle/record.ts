import { HEADROOM } from './memory.ts';
import { ITEMS, OTHER_KEYS, TEXT, UNLIKE } from './pair-reader.ts';
import type { PickleMachine } from './step.ts';
import { TAG } from './values.ts';

const EMPTY_DICT = 0x7d;
const MEMOIZE = 0x94;
const MARK = 0x28;

/**
 * Reads dicts of a frequent shape in one go, as Python writes nearly all of them: known keys by
 * reference, and values that are numbers, texts, references, or a list of references. Millions of
 * dicts differ in nothing else, and one opcode at a time costs three times as much.
 *
 * `pos` is at EMPTY_DICT. Returns where it went on, with the records on the stack: at the first
 * dict that is not like that, with nothing changed that reading it by opcodes would not change alike.
 */
export function readRecords(
  machine: PickleMachine,
  bytes: Uint8Array,
  start: number,
  filled: number,
): number {
  const { memory, containers } = machine;
  const { pairs, fields, placed, shapes } = containers;
  const { memoTags, memoValues, tags, values } = memory;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const mostTop = (tags.length - HEADROOM) | 0;
  pairs.reset();
  let pos = start;
  while (bytes[pos] === EMPTY_DICT && memory.top < mostTop) {
    const done = pos++;
    const own = bytes[pos] === MEMOIZE ? memory.memoCount : -1;
    if (own >= 0) pos++;
    if (bytes[pos++] !== MARK) return done;
    pairs.pos = pos;
    pairs.pair = 0;
    pairs.memoCount = own >= 0 ? own + 1 : memory.memoCount;
    let why = pairs.read(view, filled);
    while (why > OTHER_KEYS) {
      takeValue(machine, bytes, why);
      why = pairs.read(view, filled);
    }
    if (why === UNLIKE) return done;
    if (why === OTHER_KEYS) {
      // Once more from its beginning, to learn them.
      pairs.forgetKeys();
      pos = done;
      continue;
    }
    pos = pairs.pos;
    const { top } = memory;
    const shape = pairs.shape - 1;
    const tag = TAG.record + shape;
    const id = shapes[shape]!.add(fields, placed[shape] === 1 ? containers.position(top) : -1);
    if (own >= 0) {
      memoTags[own] = tag;
      memoValues[own] = id;
    }
    tags[top] = tag;
    values[top] = id;
    memory.memoCount = pairs.memoCount;
    memory.top = top + 1;
  }
  return pos;
}

/** What a pair's value is, where that takes more than its bytes. */
function takeValue(machine: PickleMachine, bytes: Uint8Array, why: number): void {
  const { memory, containers, objects, texts } = machine;
  const { pairs, shapes } = containers;
  if (why === ITEMS) {
    const shape = pairs.item - TAG.record;
    const list = shapes[shape]!.append(-1, memory, memory.top, pairs.itemsEnd);
    remember(machine, pairs.listSlot, TAG.listOf + shape, list);
    pairs.take(TAG.listOf + shape, list);
    return;
  }
  const isText = why === TEXT;
  if (isText) pairs.textId = texts.intern(bytes, pairs.textStart, pairs.textEnd);
  else pairs.tupleId = objects.pair(pairs.tupleLow, pairs.tupleHigh);
  const tag = isText ? TAG.text : TAG.pair;
  const id = isText ? pairs.textId : pairs.tupleId;
  if (bytes[pairs.pos] === MEMOIZE) {
    remember(machine, pairs.memoCount++, tag, id);
    pairs.pos++;
  }
  pairs.take(tag, id);
}

function remember({ memory }: PickleMachine, slot: number, tag: number, value: number): void {
  if (slot < 0) return;
  memory.memoTags[slot] = tag;
  memory.memoValues[slot] = value;
}
