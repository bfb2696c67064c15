import type { Heap } from '../heap.ts';
import { type Places, placesOf } from '../places/index.ts';
import { type Change, changeBetween } from './change.ts';
import { ownNodes } from './own.ts';
import type { Roll } from './roll.ts';

/** The last heap, looked at beside those before it. */
export interface Look {
  readonly rolls: readonly Roll[];
  readonly last: Heap;
  /** Since the first. */
  readonly change: Change;
  readonly places: Places;
  /** By node: 1 for what is Highwater's own. */
  readonly own: Uint8Array;
}

export function lookAt(rolls: readonly Roll[], last: Heap): Look {
  const change = changeBetween(rolls[0]!, last);
  return { rolls, last, change, places: placesOf(last), own: ownNodes(last) };
}
