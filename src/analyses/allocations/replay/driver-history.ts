import { MiB } from '../../../base/bytes.ts';
import { countBefore } from '../../../base/search.ts';

/** A segment that the recorded run fetched from the driver. */
export interface RecordedSegment {
  readonly event: number;
  readonly address: number;
  readonly size: number;
}

/** What the recorded run shows of the driver's way with addresses. */
export interface DriverHistory {
  /** In the order of events. */
  readonly fetched: readonly RecordedSegment[];
  /** Those that were put into room that others left, in the same order. */
  readonly foreign: readonly RecordedSegment[];
  /** Of those that began a stretch of addresses: where that ends. */
  readonly ends: ReadonlyMap<RecordedSegment, number>;
  /** Below this nothing is known to lie. */
  readonly lowest: number;
}

/** The driver reserves addresses in multiples of this. */
const CHUNK = 32 * MiB;
export const wholeChunks = (size: number) => Math.ceil(size / CHUNK) * CHUNK;

/** Addresses that are made up lie below this, and below all that are known. */
const HIGHEST = 2 ** 46;

/**
 * A segment below all that were there began a stretch of whole chunks. One in no stretch and above the
 * lowest was put into room that others left. `there`: where segments lay before the trace.
 */
export function driverHistory(
  fetched: readonly RecordedSegment[],
  there: readonly number[],
): DriverHistory {
  const foreign: RecordedSegment[] = [];
  const ends = new Map<RecordedSegment, number>();
  const ranges = new Ranges();
  let lowest = there.reduce((least, address) => Math.min(least, address), Number.POSITIVE_INFINITY);
  for (const segment of fetched) {
    const { address, size } = segment;
    if (ranges.holds(address, size)) continue;
    let to = address + size;
    if (address < lowest && lowest < Number.POSITIVE_INFINITY) {
      // What is there already is no part of it, whatever its size should be.
      to = Math.max(to, Math.min(address + wholeChunks(size), lowest));
      ends.set(segment, to);
    } else foreign.push(segment);
    ranges.add(address, to);
    lowest = Math.min(lowest, address);
  }
  return { fetched, foreign, ends, lowest: Math.min(lowest, HIGHEST) };
}

/** Ranges of addresses, in their order. */
class Ranges {
  readonly #from: number[] = [];
  readonly #to: number[] = [];

  holds(address: number, size: number): boolean {
    const at = this.#after(address) - 1;
    return at >= 0 && address + size <= this.#to[at]!;
  }

  add(from: number, to: number): void {
    const at = this.#after(from);
    this.#from.splice(at, 0, from);
    this.#to.splice(at, 0, to);
  }

  #after(address: number): number {
    return countBefore(this.#from.length, (at) => this.#from[at]! <= address);
  }
}
