import { type DriverHistory, type RecordedSegment, wholeChunks } from './driver-history.ts';

interface Hole {
  address: number;
  size: number;
}

interface Stretch {
  readonly from: number;
  readonly to: number;
  /** What is free of it, by address. */
  readonly holes: Hole[];
}

/**
 * Where the driver puts segments. Of free blocks of one size the allocator takes the one at the lowest
 * address, so that their order counts. As long as a replay fetches the segments of the recorded run they
 * lie where that had them. After that they go the driver's way, as traces show it: it reserves stretches
 * of whole chunks, each below the last, and looks for room in the newest stretch first, there from its
 * beginning. Room that other libraries left shows in the recorded run by a segment that lies in none of
 * these stretches: from that moment on the replay may use it too.
 */
export class DriverAddresses {
  readonly #history: DriverHistory;
  /** How many were fetched as recorded; -1 once the replay went its own way. */
  #followed = 0;
  #nextForeign = 0;
  /** The newest last; the first is the room that others left. */
  #stretches: Stretch[] = [{ from: 0, to: 0, holes: [] }];
  #lowest: number;

  constructor(history: DriverHistory) {
    this.#history = history;
    this.#lowest = history.lowest;
  }

  take(size: number, event: number): number {
    if (this.#followed >= 0) {
      const recorded = this.#history.fetched[this.#followed];
      if (recorded?.size === size) return this.#follow(recorded);
      this.#followed = -1;
    }
    for (;;) {
      const next = this.#history.foreign[this.#nextForeign];
      if (!next || next.event > event) break;
      this.#nextForeign++;
      addHole(this.#stretches[0]!.holes, next.address, next.size);
    }
    for (let at = this.#stretches.length - 1; at >= 0; at--) {
      const found = takeFrom(this.#stretches[at]!.holes, size);
      if (found !== null) return found;
    }
    const from = this.#lowest - wholeChunks(size);
    this.#lowest = from;
    this.#reserve(from, size, from + wholeChunks(size));
    return from;
  }

  giveBack(address: number, size: number): void {
    const own = this.#stretches.find(({ from, to }) => address >= from && address < to);
    addHole((own ?? this.#stretches[0]!).holes, address, size);
  }

  copy(): DriverAddresses {
    const copy = new DriverAddresses(this.#history);
    copy.#followed = this.#followed;
    copy.#nextForeign = this.#nextForeign;
    copy.#lowest = this.#lowest;
    copy.#stretches = this.#stretches.map(({ from, to, holes }) => ({
      ...{ from, to },
      holes: holes.map((hole) => ({ ...hole })),
    }));
    return copy;
  }

  #follow(segment: RecordedSegment): number {
    this.#followed++;
    const { address, size } = segment;
    if (this.#history.foreign[this.#nextForeign] === segment) this.#nextForeign++;
    else if (!this.#stretches.some(({ holes }) => cutFrom(holes, address, size))) {
      this.#reserve(address, size, this.#history.ends.get(segment) ?? address + size);
    }
    return address;
  }

  #reserve(from: number, size: number, to: number): void {
    const rest = to - from - size;
    const holes = rest > 0 ? [{ address: from + size, size: rest }] : [];
    this.#stretches.push({ from, to, holes });
  }
}

function takeFrom(holes: Hole[], size: number): number | null {
  for (const [at, hole] of holes.entries()) {
    if (hole.size < size) continue;
    const { address } = hole;
    hole.address += size;
    hole.size -= size;
    if (hole.size === 0) holes.splice(at, 1);
    return address;
  }
  return null;
}

/** Takes a given range out of the hole around it; false: there is none. */
function cutFrom(holes: Hole[], address: number, size: number): boolean {
  const end = address + size;
  const at = holes.findIndex((hole) => hole.address <= address && hole.address + hole.size >= end);
  if (at < 0) return false;
  const hole = holes[at]!;
  const rest = [
    { address: hole.address, size: address - hole.address },
    { address: end, size: hole.address + hole.size - end },
  ];
  holes.splice(at, 1, ...rest.filter((part) => part.size > 0));
  return true;
}

function addHole(holes: Hole[], address: number, size: number): void {
  let at = holes.findIndex((hole) => hole.address > address);
  if (at < 0) at = holes.length;
  holes.splice(at, 0, { address, size });
  for (const left of [at, at - 1]) {
    const [hole, next] = [holes[left], holes[left + 1]];
    if (!hole || !next || hole.address + hole.size !== next.address) continue;
    hole.size += next.size;
    holes.splice(left + 1, 1);
  }
}
