import { type Plain, Tuple } from '../support/pickler.ts';
import { random } from '../support/random.ts';

/**
 * A made-up allocator of device 1 that is watched from outside, so that every answer is known without any
 * replay. It writes what PyTorch would write of it, with the beginning lost.
 */
export interface Synthetic {
  readonly snapshot: { readonly [key: string]: Plain };
  /** What was live before each kept event, and after the last. */
  readonly states: readonly KnownState[];
}

export interface KnownState {
  readonly requested: number;
  readonly reserved: number;
  /** Address → size requested. */
  readonly live: ReadonlyMap<number, number>;
  readonly regions: readonly (readonly [number, number])[];
}

interface Live {
  requested: number;
  size: number;
  pending: boolean;
}

const MiB = 1024 ** 2;
const PAGE = 2 * MiB;

export function synthetic(
  seed: number,
  steps: number,
  options: { expandable?: boolean } = {},
): Synthetic {
  const next = random(seed);
  const below = (n: number) => Math.floor(next() * n);
  const base = 2 ** 40 * (1 + below(200));
  const segments = new Map<number, number>();
  const live = new Map<number, Live>();
  const events: Plain[] = [];
  const states: KnownState[] = [];
  let cursor = base;
  const pools = [
    { stream: 0, pool_id: new Tuple(0, 0) },
    { stream: 2 ** 45 + 7, pool_id: new Tuple(0, 1) },
  ];
  const event = (action: string, addr: number, size: number) => {
    states.push(state());
    const frames = below(3) === 0 ? [] : [frame(below(4)), frame(below(4))];
    events.push({
      action,
      addr,
      size,
      ...pools[below(2)],
      time_us: 1_790_000_000_000_000 + events.length * 10,
      frames,
    });
  };
  const regions = (): [number, number][] => {
    const sorted = [...segments].sort((a, b) => a[0] - b[0]);
    if (!options.expandable) return sorted;
    const joined: [number, number][] = [];
    for (const [address, size] of sorted) {
      const last = joined.at(-1);
      if (last && last[0] + last[1] === address) last[1] += size;
      else joined.push([address, size]);
    }
    return joined;
  };
  const state = (): KnownState => ({
    requested: [...live.values()].reduce((sum, block) => sum + block.requested, 0),
    reserved: [...segments.values()].reduce((sum, size) => sum + size, 0),
    live: new Map([...live].map(([address, block]) => [address, block.requested])),
    regions: regions(),
  });
  const holes = (): [number, number][] =>
    regions().flatMap(([address, size]) => {
      const inside = [...live].filter(([at]) => at >= address && at < address + size);
      inside.sort((a, b) => a[0] - b[0]);
      const found: [number, number][] = [];
      let free = address;
      for (const [at, block] of inside) {
        if (at > free) found.push([free, at - free]);
        free = at + block.size;
      }
      if (free < address + size) found.push([free, address + size - free]);
      return found;
    });
  const take = (action: string, address: number, size: number) => {
    event(action, address, size);
    segments.set(address, size);
  };
  const alloc = () => {
    const requested = 1 + below(3 * MiB);
    const size = Math.ceil(requested / 512) * 512;
    let hole = holes().find(([, room]) => room >= size);
    if (!hole && options.expandable) {
      const pages = Math.ceil(size / PAGE);
      const start = cursor;
      for (let i = 0; i < pages; i++) {
        take('segment_map', cursor, PAGE);
        cursor += PAGE;
      }
      hole = holes().find(([at, room]) => room >= size && at + room >= start) ?? [start, size];
      if (below(4) === 0) cursor += PAGE;
    } else if (!hole) {
      const bytes = PAGE * (1 + Math.ceil(size / PAGE));
      take('segment_alloc', cursor, bytes);
      hole = [cursor, bytes];
      cursor += bytes + (below(2) === 0 ? 0 : PAGE);
    }
    event('alloc', hole[0], requested);
    live.set(hole[0], { requested, size, pending: false });
  };
  const free = () => {
    const all = [...live];
    const [address, block] = all[below(all.length)]!;
    if (!block.pending) {
      event('free_requested', address, block.requested);
      block.pending = true;
    }
    if (below(5) === 0) return;
    event('free_completed', address, block.requested);
    live.delete(address);
  };
  const giveBack = () => {
    for (const [address, size] of segments) {
      const used = [...live].some(([at, b]) => at < address + size && at + b.size > address);
      if (used) continue;
      event(options.expandable ? 'segment_unmap' : 'segment_free', address, size);
      segments.delete(address);
    }
  };
  for (let step = 0; step < steps; step++) {
    const what = next();
    if (live.size === 0 || what < 0.5) alloc();
    else if (what < 0.97) free();
    else if (what < 0.99) giveBack();
    else event('snapshot', 0, 0);
  }
  states.push(state());
  const lost = below(events.length);
  const final = regions().map(([address, size]) => ({
    device: 1,
    address,
    total_size: size,
    stream: 0,
    segment_type: size === PAGE ? 'small' : 'large',
    is_expandable: options.expandable ?? false,
    blocks: blocksOf(address, size, live),
    frames: [],
  }));
  return {
    snapshot: { segments: final, device_traces: [[], events.slice(lost)], extra: 'ignored' },
    states: states.slice(lost),
  };
}

const frame = (i: number): Plain => ({ name: `f${i}`, filename: `${i % 2}.py`, line: i });

function blocksOf(address: number, size: number, live: ReadonlyMap<number, Live>): Plain[] {
  const inside = [...live].filter(([at]) => at >= address && at < address + size);
  inside.sort((a, b) => a[0] - b[0]);
  const blocks: Plain[] = [];
  let free = address;
  const hole = (end: number) => {
    if (end > free) {
      blocks.push({
        address: free,
        size: end - free,
        requested_size: 7,
        state: 'inactive',
        frames: [],
      });
    }
  };
  for (const [at, block] of inside) {
    hole(at);
    const state = block.pending ? 'active_pending_free' : 'active_allocated';
    blocks.push({
      address: at,
      size: block.size,
      requested_size: block.requested,
      state,
      frames: [],
    });
    free = at + block.size;
  }
  hole(address + size);
  return blocks;
}
