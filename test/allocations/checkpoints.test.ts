import { expect, it } from 'vitest';
import {
  ACTION,
  ACTION_NAMES,
  isSegmentAction,
  NO_ID,
} from '../../src/model/allocations/actions.ts';
import { AddressIds } from '../../src/model/allocations/address-book.ts';
import { CHECKPOINT_EVENTS } from '../../src/model/allocations/checkpoints.ts';
import { lifetimes } from '../../src/model/allocations/lifetimes.ts';
import { stateAt } from '../../src/model/allocations/state.ts';
import type { DeviceTrace } from '../../src/model/allocations/trace.ts';
import { random } from '../support/random.ts';

const PLACES = 64;
const SEGMENT = 1 << 20;

/** Blocks that come and go at a few places, each in a segment of its own that comes and goes too. */
function longTrace(events: number): DeviceTrace {
  const next = random(5);
  const book = new AddressIds();
  for (let place = 0; place < PLACES; place++) book.intern(place * SEGMENT, 3);
  const actions = new Uint8Array(events);
  const addresses = new Uint32Array(events);
  const sizes = new Float64Array(events);
  const held = new Uint8Array(PLACES);
  const live = new Float64Array(PLACES);
  for (let event = 0; event < events; event++) {
    const place = Math.floor(next() * PLACES);
    addresses[event] = place;
    if (!held[place]) {
      [actions[event], sizes[event], held[place]] = [ACTION.segment_alloc, SEGMENT, 1];
    } else if (live[place]! > 0) {
      [actions[event], sizes[event], live[place]] = [ACTION.free_completed, live[place]!, 0];
    } else if (next() < 0.05) {
      [actions[event], sizes[event], held[place]] = [ACTION.segment_free, SEGMENT, 0];
    } else {
      live[place] = 512 * (1 + Math.floor(next() * 1000));
      [actions[event], sizes[event]] = [ACTION.alloc, live[place]!];
    }
  }
  const places = [...held.keys()].filter((place) => held[place]);
  const blocks = places.filter((place) => live[place]! > 0);
  const none = (count: number) => new Uint32Array(count).fill(NO_ID);
  return {
    device: 0,
    events,
    firstEvent: 0,
    times: new Float64Array(events),
    actions,
    counts: Uint32Array.from(
      ACTION_NAMES,
      (name) => actions.filter((a) => a === ACTION[name]).length,
    ),
    segmentEvents: [...actions.keys()].filter((event) => isSegmentAction(actions[event]!)),
    sizes,
    stacks: none(events),
    tags: none(events),
    pools: none(events),
    addresses,
    addressBook: book,
    segments: {
      count: places.length,
      address: Uint32Array.from(places),
      size: new Float64Array(places.length).fill(SEGMENT),
      pool: none(places.length),
      kind: new Uint8Array(places.length),
      expandable: new Uint8Array(places.length),
      stack: none(places.length),
    },
    blocks: {
      count: blocks.length,
      segment: Uint32Array.from(blocks, (place) => places.indexOf(place)),
      address: Uint32Array.from(blocks),
      size: Float64Array.from(blocks, (place) => live[place]!),
      requested: Float64Array.from(blocks, (place) => live[place]!),
      state: new Uint8Array(blocks.length).fill(1),
      stack: none(blocks.length),
      owner: new Uint8Array(blocks.length),
    },
    ooms: [],
  };
}

it.each([3 * CHECKPOINT_EVENTS + 77, 2 * CHECKPOINT_EVENTS])(
  'states around checkpoints of %i events are those of a walk from the start',
  (events) => {
    const trace = longTrace(events);
    const edges = [0, 1, 2, 3].map((n) => n * CHECKPOINT_EVENTS);
    const asked = edges.flatMap((edge) => [edge - 2, edge - 1, edge, edge + 1, edge + 40_000]);
    const wanted = new Set([...asked, events - 1].filter((event) => event >= 0 && event < events));
    const { addressOf } = lifetimes(trace);
    const live = new Map<number, number>();
    const held = new Set<number>();
    for (let event = 0; event < events; event++) {
      const place = trace.addresses[event]!;
      const action = trace.actions[event]!;
      if (action === ACTION.alloc) live.set(place, trace.sizes[event]!);
      else if (action === ACTION.free_completed) live.delete(place);
      else if (action === ACTION.segment_alloc) held.add(place);
      else held.delete(place);
      if (!wanted.has(event)) continue;
      const state = stateAt(trace, event);
      expect([...state.live].map((row) => addressOf(row))).toEqual(
        [...live.keys()].sort((a, b) => a - b),
      );
      expect(state.reservedBytes).toBe(held.size * SEGMENT);
      expect(state.requestedBytes).toBe([...live.values()].reduce((sum, size) => sum + size, 0));
      for (const { blocks, holes } of state.regions) {
        const parts = [...blocks, ...holes].reduce((sum, part) => sum + part.size, 0);
        expect(parts).toBe(SEGMENT);
      }
    }
    expect(stateAt(trace, -1)).toMatchObject({ requestedBytes: 0, reservedBytes: 0 });
  },
);

it('there is no state after the last event or before the first', () => {
  const trace = longTrace(10);
  expect(() => stateAt(trace, 10)).toThrow('no event 10');
  expect(() => stateAt(trace, -2)).toThrow('no event -2');
});
