type Growing =
  | Uint8Array<ArrayBuffer>
  | Int32Array<ArrayBuffer>
  | Uint32Array<ArrayBuffer>
  | Float64Array<ArrayBuffer>;

/** The same numbers with as much room again behind them. */
export function doubled<T extends Growing>(old: T): T {
  const bigger = new (old.constructor as new (length: number) => T)(old.length * 2);
  bigger.set(old);
  return bigger;
}

/**
 * Slots of a hash table with open addressing, four times as many: id + 1 of what fell into a slot,
 * 0 where it is free. Each table looks its things up in a loop of its own, as a shared one would
 * have to call back for every slot.
 */
export function moreSlots(
  old: Uint32Array,
  count: number,
  hashOf: (id: number) => number,
): Uint32Array<ArrayBuffer> {
  const slots = new Uint32Array(old.length * 4);
  const mask = slots.length - 1;
  for (let id = 0; id < count; id++) {
    let slot = hashOf(id) & mask;
    while (slots[slot] !== 0) slot = (slot + 1) & mask;
    slots[slot] = id + 1;
  }
  return slots;
}
