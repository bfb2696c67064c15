import { ACTION } from './actions.ts';

/** Bytes requested after each event, against those before the first. */
export class RunningBytes {
  now = 0;
  peak = 0;
  /** The last event after which that much was live; -1: before the first event. */
  peakEvent = -1;
  #events = 0;

  /** Goes on to event `to`. */
  take(actions: Uint8Array, sizes: Float64Array | Uint32Array, to: number): void {
    let { now, peak, peakEvent } = this;
    for (let event = this.#events; event < to; event++) {
      const action = actions[event]!;
      if (action === ACTION.alloc) now += sizes[event]!;
      else if (action === ACTION.free_completed) now -= sizes[event]!;
      if (now >= peak) {
        peak = now;
        peakEvent = event;
      }
    }
    this.now = now;
    this.peak = peak;
    this.peakEvent = peakEvent;
    this.#events = Math.max(this.#events, to);
  }
}
