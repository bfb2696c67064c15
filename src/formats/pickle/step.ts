import { FormatError } from '../../base/errors.ts';
import { inertStep } from './inert.ts';
import type { PickleMachine } from './machine.ts';
import { MAX_LONG, readLong, u32, u64 } from './numbers.ts';
import { refuse } from './refusal.ts';
import { MAX_TEXT } from './texts.ts';
import { TAG } from './values.ts';

/**
 * Does one opcode; returns where the next one begins, or -1 when it needs bytes that are not there
 * yet. Its fixed part (MARGIN bytes) is there. Cases are literal numbers, as only those become a
 * jump table.
 */
export function step(
  machine: PickleMachine,
  bytes: Uint8Array,
  at: number,
  filled: number,
): number {
  const { memory, containers } = machine;
  const pos = at + 1;
  switch (bytes[at]!) {
    case 0x6a: // LONG_BINGET
      return recall(machine, u32(bytes, pos), pos + 4);
    case 0x68: // BINGET
      return recall(machine, bytes[pos]!, pos + 1);
    case 0x94: // MEMOIZE
      memory.put(memory.memoCount, machine.objects);
      return pos;
    case 0x71: // BINPUT
      memory.put(bytes[pos]!, machine.objects);
      return pos + 1;
    case 0x72: // LONG_BINPUT
      memory.put(u32(bytes, pos), machine.objects);
      return pos + 4;
    case 0x28: // MARK
      memory.mark();
      return pos;
    case 0x7d: // EMPTY_DICT
      memory.push(TAG.dict, 0);
      return pos;
    case 0x5d: // EMPTY_LIST
      memory.push(TAG.list, 0);
      return pos;
    case 0x4b: // BININT1
      memory.push(TAG.int, bytes[pos]!);
      return pos + 1;
    case 0x4d: // BININT2
      memory.push(TAG.int, bytes[pos]! | (bytes[pos + 1]! << 8));
      return pos + 2;
    case 0x4a: // BININT
      memory.push(TAG.int, u32(bytes, pos) | 0);
      return pos + 4;
    case 0x8a: // LONG1
      return long(machine, bytes, pos + 1, bytes[pos]!, filled);
    case 0x8b: // LONG4
      return long(machine, bytes, pos + 4, u32(bytes, pos), filled);
    case 0x47: // BINFLOAT
      memory.push(TAG.float, new DataView(bytes.buffer, bytes.byteOffset).getFloat64(pos));
      return pos + 8;
    case 0x88: // NEWTRUE
      memory.push(TAG.bool, 1);
      return pos;
    case 0x89: // NEWFALSE
      memory.push(TAG.bool, 0);
      return pos;
    case 0x4e: // NONE
      memory.push(TAG.none, 0);
      return pos;
    case 0x8c: // SHORT_BINUNICODE
    case 0x55: // SHORT_BINSTRING
      return text(machine, bytes, pos + 1, bytes[pos]!, filled);
    case 0x58: // BINUNICODE
    case 0x54: // BINSTRING
      return text(machine, bytes, pos + 4, u32(bytes, pos), filled);
    case 0x8d: // BINUNICODE8
      return text(machine, bytes, pos + 8, u64(bytes, pos), filled);
    case 0x43: // SHORT_BINBYTES
      return passOver(machine, pos + 1, bytes[pos]!);
    case 0x42: // BINBYTES
      return passOver(machine, pos + 4, u32(bytes, pos));
    case 0x8e: // BINBYTES8
    case 0x96: // BYTEARRAY8
      return passOver(machine, pos + 8, u64(bytes, pos));
    case 0x75: // SETITEMS
      memory.top = containers.setItems(memory.unmark());
      return pos;
    case 0x73: // SETITEM
      memory.top = containers.setItems(memory.top - 2);
      return pos;
    case 0x65: // APPENDS
      memory.top = containers.append(memory.unmark());
      return pos;
    case 0x61: // APPEND
      memory.top = containers.append(memory.top - 1);
      return pos;
    case 0x29: // EMPTY_TUPLE
      memory.top = containers.tuple(memory.top);
      return pos;
    case 0x85: // TUPLE1
      memory.top = containers.tuple(memory.top - 1);
      return pos;
    case 0x86: // TUPLE2
      memory.top = containers.tuple(memory.top - 2);
      return pos;
    case 0x87: // TUPLE3
      memory.top = containers.tuple(memory.top - 3);
      return pos;
    case 0x74: // TUPLE
      memory.top = containers.tuple(memory.unmark());
      return pos;
    case 0x6c: // LIST
      memory.top = containers.append(memory.insert(memory.unmark(), TAG.list));
      return pos;
    case 0x64: // DICT
      memory.top = containers.setItems(memory.insert(memory.unmark(), TAG.dict));
      return pos;
    case 0x30: // POP
      memory.pop();
      return pos;
    case 0x31: // POP_MARK
      memory.top = memory.unmark();
      return pos;
    case 0x32: // DUP
      memory.duplicate();
      return pos;
    case 0x95: // FRAME: its length says nothing that the opcodes do not
      return pos + 8;
    case 0x80: // PROTO
      if (bytes[pos]! <= 5) return pos + 1;
      throw new FormatError(`is of pickle protocol ${bytes[pos]}; 2 to 5 are known`);
    case 0x2e: // STOP
      memory.need(1);
      memory.resolve(memory.top - 1);
      machine.result = machine.objects.value(memory, memory.top - 1);
      return pos;
  }
  const next = machine.inert && inertStep(machine, machine.inert, bytes, at, filled);
  if (next !== null) return next;
  throw refuse(bytes[at]!, bytes, pos, filled);
}

/** Puts a remembered value on the stack. */
function recall({ memory, objects }: PickleMachine, slot: number, next: number): number {
  if (slot >= memory.memoCount) {
    throw new FormatError(`refers to value ${slot}, which it never stored`);
  }
  const tag = memory.memoTags[slot]!;
  // What is not finished yet, or may still grow, stays where it is.
  if (isGrowing(tag)) memory.push(TAG.alias, slot);
  else if (tag === TAG.object) objects.recall(memory, memory.memoValues[slot]!);
  else memory.push(tag, memory.memoValues[slot]!);
  return next;
}

function isGrowing(tag: number): boolean {
  return tag === TAG.dict || tag === TAG.list || tag >= TAG.listOf;
}

function long(
  { memory }: PickleMachine,
  bytes: Uint8Array,
  from: number,
  length: number,
  filled: number,
): number {
  if (length > MAX_LONG) throw new FormatError(`has a whole number of ${length} bytes`);
  if (from + length > filled) return -1;
  readLong(bytes, from, length, memory, memory.top++);
  return from + length;
}

function text(
  { memory, texts }: PickleMachine,
  bytes: Uint8Array,
  from: number,
  length: number,
  filled: number,
): number {
  if (length > MAX_TEXT) throw new FormatError(`has a text of ${length} bytes`);
  if (from + length > filled) return -1;
  memory.push(TAG.text, texts.intern(bytes, from, from + length));
  return from + length;
}

/** The content of `bytes` is nothing we look at. */
function passOver(machine: PickleMachine, from: number, length: number): number {
  machine.memory.push(TAG.bytes, length);
  machine.skip = length;
  return from;
}
