import { describe, expect, it } from 'vitest';
import { ACTION, BLOCK_STATE } from '../../src/model/allocations/actions.ts';
import { summary } from '../../src/model/allocations/curve.ts';
import { LifetimeScan } from '../../src/model/allocations/lifetime-scan.ts';
import { type Lifetimes, lifetimes } from '../../src/model/allocations/lifetimes.ts';
import { RunningBytes } from '../../src/model/allocations/running-bytes.ts';
import type { DeviceTrace } from '../../src/model/allocations/trace.ts';
import { random as randomNumbers } from '../support/random.ts';

const ADDRESSES = 5;
const SEEDS = Array.from({ length: 200 }, (_, seed) => seed + 1);

/** Events in any order at few addresses, and blocks at the end that need not fit them: a trace with holes everywhere. */
function brokenTrace(seed: number): DeviceTrace {
  const random = randomNumbers(seed);
  const below = (limit: number) => Math.floor(random() * limit);
  const events = 1 + below(60);
  const column = (limit: number) => Array.from({ length: events }, () => below(limit));
  const actions = Uint8Array.from(column(4), (kind) => (kind === 3 ? ACTION.segment_alloc : kind));
  const counts = new Uint32Array(256);
  for (const action of actions) counts[action]!++;
  const blocks = below(ADDRESSES + 3);
  const each = (value: () => number) => Array.from({ length: blocks }, value);
  return {
    events,
    actions,
    counts,
    addresses: Uint32Array.from(column(ADDRESSES)),
    sizes: Float64Array.from(column(100)),
    stacks: Uint32Array.from(column(100)),
    tags: new Uint32Array(events),
    pools: new Uint32Array(events),
    segmentEvents: [],
    addressBook: { count: ADDRESSES, low: new Uint32Array(5), high: new Uint32Array(5) },
    segments: { size: new Float64Array(0), pool: new Uint32Array(1) },
    blocks: {
      count: blocks,
      segment: new Uint32Array(blocks),
      address: Uint32Array.from(each(() => below(ADDRESSES))),
      requested: Float64Array.from(each(() => 1000 + below(100))),
      state: Uint8Array.from(
        each(() => (below(3) === 0 ? BLOCK_STATE.inactive : BLOCK_STATE.allocated)),
      ),
      stack: Uint32Array.from(each(() => 200 + below(100))),
    },
  } as unknown as DeviceTrace;
}

interface Life {
  start: number;
  asked: number;
  end: number;
  size: number;
  stack: number;
  block: number;
}

/** The same found in another way: from the final state back to the first event. */
function goingBack(trace: DeviceTrace) {
  const { events, actions, addresses, sizes, stacks, blocks } = trace;
  const ends = new Map<number, { end: number; asked: number; block: number }>();
  for (let block = 0; block < blocks.count; block++) {
    if (blocks.state[block] === BLOCK_STATE.inactive) continue;
    ends.set(blocks.address[block]!, { end: events, asked: -1, block });
  }
  const own: Life[] = [];
  let [unmatchedAllocs, unmatchedFrees] = [0, 0];
  for (let event = events - 1; event >= 0; event--) {
    const address = addresses[event]!;
    const after = ends.get(address);
    if (actions[event] === ACTION.alloc) {
      if (!after) unmatchedAllocs++;
      const gone = after ?? { end: event, asked: -1, block: -1 };
      own.unshift({ start: event, size: sizes[event]!, stack: stacks[event]!, ...gone });
      ends.delete(address);
    } else if (actions[event] === ACTION.free_completed) {
      if (after) unmatchedFrees++;
      ends.set(address, { end: event, asked: -1, block: -1 });
    } else if (actions[event] === ACTION.free_requested) {
      if (!after) unmatchedFrees++;
      else if (after.asked < 0) after.asked = event;
    }
  }
  const before = [...ends]
    .sort(([a], [b]) => a - b)
    .map(([, { end, asked, block }]) => {
      const size = block >= 0 ? blocks.requested[block]! : sizes[end]!;
      return {
        start: -1,
        size,
        stack: block >= 0 ? blocks.stack[block]! : 0xffffffff,
        end,
        asked,
        block,
      };
    });
  return { rows: [...own, ...before], unmatchedAllocs, unmatchedFrees };
}

function rowsOf(life: Lifetimes): Life[] {
  return Array.from({ length: life.count }, (_, row) => ({
    start: life.start[row]!,
    asked: life.freeRequested[row]!,
    end: life.end[row]!,
    size: life.size[row]!,
    stack: life.stack[row]!,
    block: life.blockOf(row),
  }));
}

describe('a trace with holes', () => {
  it.each(SEEDS)('has the lives that the way back from its end tells (seed %i)', (seed) => {
    const trace = brokenTrace(seed);
    const { rows, unmatchedAllocs, unmatchedFrees } = goingBack(trace);
    const life = lifetimes(trace);
    expect(rowsOf(life)).toEqual(rows);
    expect([life.unmatchedAllocs, life.unmatchedFrees]).toEqual([unmatchedAllocs, unmatchedFrees]);
  });

  it.each(SEEDS.slice(0, 20))('is followed alike in parts (seed %i)', (seed) => {
    const { actions, addresses, sizes, events } = brokenTrace(seed);
    const scanned = { actions, addresses, addressCount: ADDRESSES };
    const [whole, parts] = [new LifetimeScan(events), new LifetimeScan(0)];
    const [sum, sums] = [new RunningBytes(), new RunningBytes()];
    whole.take(scanned, events);
    sum.take(actions, sizes, events);
    for (let to = 0; to <= events; to += 3) {
      parts.take({ ...scanned, addressCount: 1 + Math.max(...addresses.subarray(0, to), 0) }, to);
      sums.take(actions, Uint32Array.from(sizes), to);
    }
    parts.take(scanned, events);
    sums.take(actions, sizes, events);
    const { allocs } = whole;
    expect(parts.allocs).toBe(allocs);
    for (const name of ['freeRequested', 'end'] as const) {
      expect(parts.ends[name].subarray(0, allocs)).toEqual(whole.ends[name].subarray(0, allocs));
    }
    expect({ ...sums }).toEqual({ ...sum });
  });

  it.each(SEEDS.slice(0, 50))(
    'has its highest sum at the last event that has it (seed %i)',
    (seed) => {
      const trace = brokenTrace(seed);
      const { actions, sizes, blocks } = trace;
      let now = 0;
      for (let block = 0; block < blocks.count; block++) {
        if (blocks.state[block] !== BLOCK_STATE.inactive) now += blocks.requested[block]!;
      }
      let [peak, at] = [now, trace.events - 1];
      for (let event = trace.events - 1; event >= 0; event--) {
        if (actions[event] === ACTION.alloc) now -= sizes[event]!;
        else if (actions[event] === ACTION.free_completed) now += sizes[event]!;
        if (now > peak) [peak, at] = [now, event - 1];
      }
      const { startRequested, peakRequested, peakEvent } = summary(trace);
      expect([startRequested, peakRequested, peakEvent]).toEqual([now, peak, at]);
    },
  );
});
