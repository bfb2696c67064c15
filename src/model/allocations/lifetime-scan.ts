import { ACTION } from './actions.ts';

/** How each allocation ended: a row for each. */
export interface LifetimeEnds {
  /** The event that asked for the end; -1: none in the trace. */
  readonly freeRequested: Int32Array;
  /** The free_completed event, until which the memory counts; `events` when alive at the end. */
  readonly end: Int32Array;
}

/** In place of the end of an allocation that was neither freed nor there at the end. */
export const NEVER_ENDED = -1;

/** What a scan looks at of the events. */
export interface ScannedEvents {
  readonly actions: Uint8Array;
  /** Ids of the address book, which has `addressCount` of them so far. */
  readonly addresses: Uint32Array;
  readonly addressCount: number;
}

/** The last life at an address: its row, or -1 for what was there before the trace. */
const ROW = 0;
/** The first event that freed it; -1: none so far. */
const FREED = 1;
/** The last that asked for that before it was. */
const ASKED = 2;
/** How many have asked since anything was freed there. */
const WAITING = 3;
/** Of what was there before, once another came in its place: the events that freed it and asked for that. */
const BEFORE_FREED = 4;
const BEFORE_ASKED = 5;
const WIDTH = 6;

/**
 * Follows every allocation from its alloc to its end, event by event: what was there before shows when it is freed, and what stays
 * is told by the final state (`lifetimes.ts`). A ring buffer may forget events, so that nothing is taken for granted.
 */
export class LifetimeScan {
  ends: LifetimeEnds;
  allocs = 0;
  /** Events that fit no block. */
  unmatchedAllocs = 0;
  unmatchedFrees = 0;
  #events = 0;
  #addresses = 0;
  #state = new Int32Array(0);

  /** Room for so many rows is set aside; what is not touched costs nothing. */
  constructor(rows: number) {
    this.ends = newEnds(rows);
  }

  /** Goes on to event `to`. */
  take(scanned: ScannedEvents, to: number): void {
    const { actions, addresses } = scanned;
    this.#know(scanned.addressCount);
    // Each event of a stretch may be an alloc.
    this.makeRoom(this.allocs + Math.max(0, to - this.#events));
    const { freeRequested, end } = this.ends;
    const state = this.#state;
    let { allocs, unmatchedAllocs, unmatchedFrees } = this;
    for (let event = this.#events; event < to; event++) {
      const action = actions[event]!;
      if (action > ACTION.free_completed) continue;
      const at = WIDTH * addresses[event]!;
      if (action === ACTION.alloc) {
        const old = state[at + ROW]!;
        unmatchedFrees += state[at + WAITING]!;
        if (old < 0) {
          state[at + BEFORE_FREED] = state[at + FREED]!;
          state[at + BEFORE_ASKED] = state[at + ASKED]!;
        } else if (state[at + FREED]! < 0) {
          end[old] = NEVER_ENDED;
          freeRequested[old] = -1;
          unmatchedAllocs++;
        }
        state[at + ROW] = allocs++;
        state[at + FREED] = -1;
        state[at + ASKED] = -1;
        state[at + WAITING] = 0;
      } else if (action === ACTION.free_completed) {
        state[at + WAITING] = 0;
        if (state[at + FREED]! >= 0) unmatchedFrees++;
        else {
          state[at + FREED] = event;
          const row = state[at + ROW]!;
          if (row >= 0) {
            end[row] = event;
            freeRequested[row] = state[at + ASKED]!;
          }
        }
      } else {
        state[at + WAITING]!++;
        if (state[at + FREED]! < 0) state[at + ASKED] = event;
      }
    }
    this.allocs = allocs;
    this.unmatchedAllocs = unmatchedAllocs;
    this.unmatchedFrees = unmatchedFrees;
    this.#events = Math.max(this.#events, to);
  }

  /**
   * Ends the last life at an address, where a block stays or not. Returns the row that lives on in the block, or -1; `before` is
   * called where something was there before the trace, with the events that freed it and asked for that.
   */
  finish(
    address: number,
    stays: boolean,
    events: number,
    before: (end: number, asked: number, livesOn: boolean) => void,
  ): number {
    const at = WIDTH * address;
    const state = this.#state;
    const row = state[at + ROW]!;
    const asked = state[at + ASKED]!;
    const freed = state[at + FREED]!;
    if (!stays) this.unmatchedFrees += state[at + WAITING]!;
    else if (freed >= 0) this.unmatchedFrees++;
    const livesOn = stays && freed < 0;
    if (row < 0) {
      if (livesOn) before(events, asked, true);
      else if (freed >= 0) before(freed, asked, false);
      return -1;
    }
    if (state[at + BEFORE_FREED]! >= 0) {
      before(state[at + BEFORE_FREED]!, state[at + BEFORE_ASKED]!, false);
    }
    if (freed >= 0) return -1;
    const { freeRequested, end } = this.ends;
    end[row] = livesOn ? events : NEVER_ENDED;
    freeRequested[row] = livesOn ? asked : -1;
    if (!livesOn) this.unmatchedAllocs++;
    return livesOn ? row : -1;
  }

  makeRoom(rows: number): void {
    const old = this.ends;
    if (rows <= old.end.length) return;
    this.ends = newEnds(Math.max(rows, 2 * old.end.length));
    for (const name of Object.keys(old) as (keyof LifetimeEnds)[]) {
      this.ends[name].set(old[name].subarray(0, this.allocs));
    }
  }

  #know(addresses: number): void {
    if (addresses <= this.#addresses) return;
    if (WIDTH * addresses > this.#state.length) {
      const old = this.#state;
      this.#state = new Int32Array(Math.max(WIDTH * addresses, 2 * old.length));
      this.#state.set(old);
    }
    this.#state.fill(-1, WIDTH * this.#addresses, WIDTH * addresses);
    for (let one = this.#addresses; one < addresses; one++) this.#state[WIDTH * one + WAITING] = 0;
    this.#addresses = addresses;
  }
}

function newEnds(rows: number): LifetimeEnds {
  return { freeRequested: new Int32Array(rows), end: new Int32Array(rows) };
}
