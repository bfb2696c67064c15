import { TAG, type WrittenRecord } from '../pickle/values.ts';
import { KEY } from './keys.ts';

const LONG1 = 0x8a;

/** Where an event's bytes hold what differs between events; the stretches between are alike in most. */
export interface EventLayout {
  readonly action: number;
  readonly afterAction: number;
  /** The bytes of a whole number, behind opcode and length. */
  readonly address: number;
  readonly afterAddress: number;
  readonly size: number;
  readonly afterSize: number;
  readonly time: number;
  readonly afterTime: number;
  readonly frames: number;
}

/** The layout of an event as torch writes it: its values in this order and of these kinds; null for any other. */
export function layoutOf(event: WrittenRecord): EventLayout | null {
  const { view, start, last } = event;
  const { at, tags } = event.fields;
  const written = KINDS.every(([key, tag]) => tags[key] === tag) && tags[KEY.frames]! >= TAG.list;
  if (!written || !keepsPlainValues(event)) return null;
  const [action, size, frames] = [at[KEY.action]!, at[KEY.size]!, at[KEY.frames]!];
  const [address, time] = [at[KEY.addr]! + 2, at[KEY.time_us]! + 2];
  const afterAction = action + (REFERENCES[view.getUint8(action)] ?? 0);
  const afterAddress = address + longLength(view, address);
  const afterSize = size + (NUMBERS[view.getUint8(size)] ?? 0);
  const afterTime = time + longLength(view, time);
  const inOrder =
    start < action &&
    action < afterAction &&
    afterAction < address &&
    address < afterAddress &&
    afterAddress < size &&
    size < afterSize &&
    afterSize < time &&
    time < afterTime &&
    afterTime < frames &&
    frames === last;
  if (!inOrder || hasZeros(view, start, frames)) return null;
  return {
    action,
    afterAction,
    address,
    afterAddress,
    size,
    afterSize,
    time,
    afterTime,
    frames,
  };
}

const KINDS = [
  [KEY.action, TAG.text],
  [KEY.addr, TAG.int],
  [KEY.size, TAG.int],
  [KEY.time_us, TAG.int],
] as const;

/** Bytes of BINGET and LONG_BINGET; of BININT1, BININT2 and BININT. */
const REFERENCES: Readonly<Record<number, number>> = { 104: 2, 106: 5 };
const NUMBERS: Readonly<Record<number, number>> = { 75: 2, 77: 3, 74: 5 };

/** A list is remembered by each event that has one, as it may still grow; only texts and pairs are alike for good. */
function keepsPlainValues({ memory, keptFrom, keptTo }: WrittenRecord): boolean {
  for (let slot = keptFrom; slot < keptTo; slot++) {
    const tag = memory.memoTags[slot]!;
    if (tag !== TAG.text && tag !== TAG.pair) return false;
  }
  return true;
}

/** So many in a row make a number that is zero, of which `alike-events.ts` could not tell one from another; no event has them. */
const ZEROS = 7;

function hasZeros(view: DataView, from: number, to: number): boolean {
  let zeros = 0;
  for (let at = from; at < to && zeros < ZEROS; at++)
    zeros = view.getUint8(at) === 0 ? zeros + 1 : 0;
  return zeros === ZEROS;
}

/** How many bytes the number at `at` has: 6 or 7, as addresses and times have; 0 for any other. */
function longLength(view: DataView, at: number): number {
  const length = view.getUint8(at - 1);
  return view.getUint8(at - 2) === LONG1 && (length === 6 || length === 7) ? length : 0;
}
