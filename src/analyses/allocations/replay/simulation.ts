import { allocate } from './allocator.ts';
import { NONE } from './blocks.ts';
import { DriverAddresses } from './driver-addresses.ts';
import { Heap, type Limit } from './heap.ts';
import { packStart, placeStart } from './place-start.ts';
import { OP } from './program.ts';
import { releaseCached } from './release.ts';
import { CurveKeeper } from './replay-curve.ts';
import type { Replayed, ReplayOptions } from './replayed.ts';
import { type Requests, requestOf } from './requests.ts';

const BEFORE = -1;

/** All that the rest of a replay depends on. It takes as much room as there are blocks, however long the program is. */
export interface Standing {
  readonly heap: Heap;
  /** Rows that have a block, and their blocks. */
  readonly rows: Uint32Array;
  readonly blocks: Int32Array;
  readonly pending: readonly number[];
  readonly next: number;
  readonly nextOom: number;
  readonly diesAt: number | null;
}

/** A replay under way. */
export class Simulation {
  readonly heap: Heap;
  readonly #program: Requests;
  /** By row: its block, or NONE. */
  readonly #held: Int32Array;
  /** Rows that the program let go of while other streams use them. */
  readonly #pending = new Set<number>();
  #next = 0;
  #nextOom = 0;
  #diesAt: number | null = null;
  /** Nothing comes after: a request failed that the recorded run had. */
  #stopped = false;
  /** Other streams are done with what the program let go of. */
  readonly #wait = () => {
    for (const row of this.#pending) this.#release(row);
    this.#pending.clear();
  };

  private constructor(program: Requests, heap: Heap) {
    this.#program = program;
    this.heap = heap;
    this.#held = new Int32Array(program.life.count).fill(NONE);
  }

  static begin(program: Requests, options: ReplayOptions): Simulation {
    const { conf, limit, start, keepFetched = false, keepCurve } = options;
    const curve = keepCurve ? new CurveKeeper(program.events) : null;
    const driver = new DriverAddresses(program.driver);
    const heap = new Heap(conf, limit, program.domains, driver, keepFetched, curve);
    const simulation = new Simulation(program, heap);
    const place = start === 'placed' ? placeStart : packStart;
    if (!place(heap, program, simulation.#held)) simulation.#die(BEFORE);
    return simulation;
  }

  /** The event before which it stands, or at which it died. */
  get next(): number {
    return this.#next;
  }

  get isOver(): boolean {
    return this.#stopped || this.#next >= this.#program.events;
  }

  /** What it holds before the event that it stands at, or is about to do. */
  standing(): Standing {
    const rows: number[] = [];
    const held = this.#held;
    for (let row = 0; row < held.length; row++) if (held[row] !== NONE) rows.push(row);
    return {
      heap: this.heap.copy(this.heap.limit),
      rows: Uint32Array.from(rows),
      blocks: Int32Array.from(rows, (row) => held[row]!),
      pending: [...this.#pending],
      ...{ next: this.#next, nextOom: this.#nextOom, diesAt: this.#diesAt },
    };
  }

  /** Goes on from there with another limit, and keeps neither what is fetched nor a curve. */
  static from(program: Requests, standing: Standing, limit: Limit): Simulation {
    const simulation = new Simulation(program, standing.heap.copy(limit));
    for (const [at, row] of standing.rows.entries()) simulation.#held[row] = standing.blocks[at]!;
    for (const row of standing.pending) simulation.#pending.add(row);
    simulation.#next = standing.next;
    simulation.#nextOom = standing.nextOom;
    simulation.#diesAt = standing.diesAt;
    return simulation;
  }

  /** Up to an event, which is not done yet. */
  advance(to: number): void {
    const { ops, rows, life, domainOf, oomDomains, trace } = this.#program;
    const [heap, held, pending] = [this.heap, this.#held, this.#pending];
    const wait = this.#wait;
    const lastOom = trace.ooms.at(-1)?.event ?? -1;
    const end = Math.min(to, this.#program.events);
    for (let event = this.#next; event < end && !this.#stopped; event++) {
      this.#next = event;
      const op = ops[event]!;
      if (op === OP.nothing) continue;
      heap.event = event;
      const row = rows[event]!;
      if (op === OP.allocate || op === OP.passing) {
        held[row] = allocate(heap, domainOf[row]!, life.size[row]!, wait);
        if (held[row] === NONE) this.#die(event);
        else if (op === OP.passing) this.#release(row);
      } else if (op === OP.free) {
        if (pending.size > 0) pending.delete(row);
        this.#release(row);
      } else if (op === OP.letGo) pending.add(row);
      else if (op === OP.release) {
        wait();
        releaseCached(heap);
      } else if (op === OP.fail) {
        const requested = requestOf(trace.ooms, this.#nextOom);
        const block = allocate(heap, oomDomains[this.#nextOom]!, requested, wait);
        this.#nextOom++;
        if (block !== NONE) heap.release(block);
        else if (event === lastOom) this.#diesAt = event;
      }
    }
    if (!this.#stopped) this.#next = Math.max(this.#next, end);
  }

  replayed(): Replayed {
    const { heap } = this;
    const { counts, curve } = heap;
    const grows = heap.conf.expandableSegments;
    return {
      reservedPeakBytes: heap.peak.reserved,
      activePeakBytes: heap.activePeak,
      peakEvent: heap.peak.event,
      largestSegmentBytes: grows ? Number.POSITIVE_INFINITY : heap.largestSegment,
      ...counts,
      diesAt: this.#diesAt,
      fetched: heap.fetched,
      curve: curve?.upTo(this.#diesAt ?? this.#program.events - 1) ?? null,
      refusedBytes: heap.refused,
    };
  }

  #die(event: number): void {
    this.#diesAt = event;
    this.#stopped = true;
  }

  #release(row: number): void {
    const block = this.#held[row]!;
    if (block === NONE) return;
    this.#held[row] = NONE;
    this.heap.release(block);
  }
}
