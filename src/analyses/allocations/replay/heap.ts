import { Blocks, NONE, STATE } from './blocks.ts';
import { type AllocatorConf, DEFAULT_CONF } from './conf.ts';
import type { DriverAddresses } from './driver-addresses.ts';
import { BlockList } from './free-list.ts';
import type { CurveKeeper } from './replay-curve.ts';

/** What the allocator may reserve, and who refuses more. */
export interface Limit {
  readonly bytes: number;
  /** `fraction`: the allocator itself, before it asks; `device`: the driver, of what is mapped. */
  readonly by: 'fraction' | 'device';
  /** Where it is only known to lie between two: the higher one. */
  readonly upTo?: number;
}

/** A private pool (0: the default one) and a stream: blocks of one never serve another. */
export interface Domain {
  readonly pool: number;
  readonly stream: string;
}

/** Lookups of all streams of a pool: by these a free block's age is told. */
interface PoolAge {
  lookups: number;
}

/** The lists of one domain's small or large blocks. */
export interface PoolList {
  readonly domain: Domain;
  readonly isSmall: boolean;
  /** Free blocks by size. */
  readonly free: BlockList;
  /** Room of expandable segments without memory, by address. */
  readonly unmapped: BlockList;
  readonly age: PoolAge;
}

/** All that the replayed allocator holds, and what it counts. */
export class Heap {
  readonly conf: AllocatorConf;
  readonly limit: Limit | null;
  readonly blocks = new Blocks();
  /** Two of each domain, the small one first. */
  readonly lists: readonly PoolList[];
  readonly driver: DriverAddresses;
  counts = { deviceAllocs: 0, deviceFrees: 0, retries: 0 };
  /** Sizes of segments or pages fetched, in order, where they are wanted. */
  readonly fetched: number[] | null;
  /** Told of each change of what is reserved, where a curve is wanted. */
  readonly curve: CurveKeeper | null;
  /** The least that was refused: with a limit of so much the run would differ. */
  refused = Number.POSITIVE_INFINITY;
  /** The least limit with which the run would have been another by now. */
  partsAt = Number.POSITIVE_INFINITY;
  reserved = 0;
  /** Bytes of blocks in use, rounded. */
  active = 0;
  /** The first moment at which most was reserved. */
  peak = { reserved: 0, event: -1 };
  activePeak = 0;
  largestSegment = 0;
  event = -1;
  /** Expandable segments made so far. */
  grown = 0;
  /** Told that about so much more is to be fetched, while nothing of the event is done yet. */
  beforeFetch: ((bytes: number) => void) | null = null;
  readonly #domains: readonly Domain[];

  constructor(
    conf: AllocatorConf,
    limit: Limit | null,
    domains: readonly Domain[],
    driver: DriverAddresses,
    keepFetched: boolean,
    curve: CurveKeeper | null,
  ) {
    this.conf = ofOneShape(conf);
    this.limit = limit;
    this.driver = driver;
    this.fetched = keepFetched ? [] : null;
    this.curve = curve;
    this.#domains = domains;
    const ages = new Map<string, PoolAge>();
    this.lists = domains.flatMap((domain) =>
      [true, false].map((isSmall) => {
        const key = `${domain.pool} ${isSmall}`;
        const age = ages.get(key) ?? { lookups: 0 };
        ages.set(key, age);
        const free = new BlockList(this.blocks, 'size');
        const unmapped = new BlockList(this.blocks, 'address');
        return { domain, isSmall, free, unmapped, age };
      }),
    );
  }

  /** The same under another limit. What was fetched and the curve are not kept in it. */
  copy(limit: Limit | null): Heap {
    const copy = new Heap(this.conf, limit, this.#domains, this.driver.copy(), false, null);
    copy.blocks.take(this.blocks);
    for (const [at, { free, unmapped, age }] of this.lists.entries()) {
      const list = copy.lists[at]!;
      list.free.take(free);
      list.unmapped.take(unmapped);
      list.age.lookups = age.lookups;
    }
    const { refused, partsAt, reserved, active, activePeak, largestSegment, event, grown } = this;
    const figures = {
      refused,
      partsAt,
      reserved,
      active,
      activePeak,
      largestSegment,
      event,
      grown,
    };
    const { counts, peak } = this;
    return Object.assign(copy, figures, { counts: { ...counts }, peak: { ...peak } });
  }

  /** Ages are counted only where they are used. */
  get collectsGarbage(): boolean {
    return this.limit?.by === 'fraction' && this.conf.garbageCollectionThreshold > 0;
  }

  listOf(block: number): PoolList {
    return this.lists[this.blocks.list[block]!]!;
  }

  /** More or less is reserved. */
  reserve(bytes: number): void {
    this.reserved += bytes;
    if (bytes > 0) {
      this.counts.deviceAllocs++;
      this.largestSegment = Math.max(this.largestSegment, bytes);
      this.fetched?.push(bytes);
    } else this.counts.deviceFrees++;
    this.curve?.note(this.event, this.reserved);
    this.notePeak();
  }

  /** All caches were given back because a request found no memory. */
  noteRetry(): void {
    this.counts.retries++;
    this.curve?.noteRetry(this.event);
  }

  /** What was there before the trace is not among what is counted. */
  forgetCounts(): void {
    this.counts.deviceAllocs = 0;
    this.counts.retries = 0;
    this.fetched?.splice(0);
    this.curve?.forgetRetries();
  }

  notePeak(): void {
    if (this.reserved <= this.peak.reserved) return;
    this.peak = { reserved: this.reserved, event: this.event };
  }

  addFree(block: number): void {
    const list = this.listOf(block);
    this.blocks.freeSince[block] = list.age.lookups;
    list.free.add(block);
  }

  /** A free block takes the place of the one at `at` of its list. */
  replaceFree(at: number, block: number): void {
    const list = this.listOf(block);
    this.blocks.freeSince[block] = list.age.lookups;
    list.free.replaceAt(at, block);
  }

  /** Makes a block free, and one with its free neighbours; the list is moved as little as can be. */
  release(block: number): void {
    const { blocks } = this;
    const { state, size, before, after } = blocks;
    const left = before[block]!;
    const right = after[block]!;
    const joinsLeft = left !== NONE && state[left] === STATE.free;
    const joinsRight = right !== NONE && state[right] === STATE.free;
    this.active -= size[block]!;
    state[block] = STATE.free;
    if (!joinsLeft && !joinsRight) {
      this.addFree(block);
      return;
    }
    const { free } = this.listOf(block);
    // The place of the larger one is the nearest to that of the whole.
    const nearLeft = joinsLeft && !(joinsRight && size[right]! > size[left]!);
    if (joinsLeft && joinsRight) free.delete(nearLeft ? right : left);
    const at = free.positionOf(nearLeft ? left : right);
    if (joinsLeft) this.#join(block, left);
    if (joinsRight) this.#join(block, right);
    this.replaceFree(at, block);
  }

  /** Makes one block of two neighbours, where both are free or both without memory. */
  merge(block: number, other: number): void {
    const { blocks } = this;
    if (other === NONE || blocks.state[other] !== blocks.state[block]) return;
    const list = this.listOf(other);
    if (blocks.state[other] === STATE.free) list.free.delete(other);
    else list.unmapped.delete(other);
    this.#join(block, other);
  }

  #join(block: number, other: number): void {
    const { blocks } = this;
    if (blocks.before[block] === other) {
      blocks.address[block] = blocks.address[other]!;
      blocks.splice(block, blocks.before[other]!, blocks.after[block]!);
    } else blocks.splice(block, blocks.before[block]!, blocks.after[other]!);
    blocks.size[block] = blocks.size[block]! + blocks.size[other]!;
    blocks.remove(other);
  }

  /** Whether so much more would be refused beforehand, by the process's own limit. */
  refuses(bytes: number): boolean {
    if (!this.limit || this.reserved + bytes <= this.limit.bytes) return false;
    this.refused = Math.min(this.refused, this.reserved + bytes);
    this.partsAt = Math.min(this.partsAt, this.reserved + bytes);
    return true;
  }
}

/** However settings were made, they are one kind of object to the engine: the code compiled for the first replay serves the next. */
const ofOneShape = (conf: AllocatorConf): AllocatorConf => ({
  ...DEFAULT_CONF,
  ...conf,
  roundupDivisions: [...conf.roundupDivisions],
});
