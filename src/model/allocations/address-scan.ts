import { ACTION, isSegmentAction } from './actions.ts';
import { AddressIds } from './address-book.ts';

/** One look at each event of a trace, in order: its address as an id, and which are few and asked for often. */
export class AddressScan {
  readonly book = new AddressIds();
  /** How often each action occurs, by code. */
  readonly counts = new Uint32Array(256);
  readonly segmentEvents: number[] = [];
  readonly oomEvents: number[] = [];
  /** By event; without meaning for an oom. */
  addresses = new Uint32Array(0);
  #events = 0;

  /** Goes on to event `to`; `halves` are those of the addresses, the lower first. */
  take(actions: Uint8Array, halves: Uint32Array, to: number): void {
    // Events may still be written behind `to`: room that is not touched costs nothing.
    if (to > this.addresses.length) this.#makeRoom(actions.length);
    const { addresses, book, counts } = this;
    let [id, lastLow, lastHigh] = [-1, 0, 0];
    for (let event = this.#events; event < to; event++) {
      const action = actions[event]!;
      counts[action]!++;
      if (isSegmentAction(action)) this.segmentEvents.push(event);
      if (action === ACTION.oom) {
        this.oomEvents.push(event);
        continue;
      }
      const low = halves[2 * event]!;
      const high = halves[2 * event + 1]!;
      // Most frees come twice in a row: asked for and done.
      if (low !== lastLow || high !== lastHigh || id < 0) id = book.intern(low, high);
      lastLow = low;
      lastHigh = high;
      addresses[event] = id;
    }
    this.#events = Math.max(this.#events, to);
  }

  #makeRoom(events: number): void {
    const old = this.addresses.subarray(0, this.#events);
    this.addresses = new Uint32Array(events);
    this.addresses.set(old);
  }
}
