import { describe, expect, it } from 'vitest';
import { makeInput } from '../../src/formats/input.ts';
import { torchSnapshot } from '../../src/formats/torch-snapshot/index.ts';
import { addressNumber } from '../../src/model/allocations/address-book.ts';
import { summary } from '../../src/model/allocations/curve.ts';
import { lifetimes } from '../../src/model/allocations/lifetimes.ts';
import { type State, stateAt } from '../../src/model/allocations/state.ts';
import { type DeviceTrace, traces } from '../../src/model/allocations/trace.ts';
import { openInput } from '../../src/open/open.ts';
import { type PicklerOptions, pickle } from '../support/pickler.ts';
import { random } from '../support/random.ts';
import { synthetic } from './synthetic.ts';

/** A state in words that do not depend on how much of the trace was loaded. */
function described(trace: DeviceTrace, { live, regions, ...state }: State) {
  const { addressOf, size } = lifetimes(trace);
  return {
    requested: state.requestedBytes,
    reserved: state.reservedBytes,
    regions: regions.map((region) => [region.address, region.size, region.expandable]),
    live: [...live].map((row) => [addressNumber(trace.addressBook, addressOf(row)), size[row]]),
  };
}

/** Everything the part says must be what the whole trace says of the same events. */
function expectPart(whole: DeviceTrace, part: DeviceTrace, from: number, to: number): void {
  const end = Math.min(to, whole.events);
  expect(part.events).toBe(Math.max(0, end - from));
  expect(part.firstEvent).toBe(from);
  for (let event = -1; event < part.events; event += Math.max(1, Math.floor(part.events / 7))) {
    expect(described(part, stateAt(part, event))).toEqual(
      described(whole, stateAt(whole, from + event)),
    );
  }
  const lives = lifetimes(part);
  expect([lives.unmatchedAllocs, lives.unmatchedFrees]).toEqual([0, 0]);
  expect([...part.stacks].length).toBe(part.events);
}

describe.each(['expandable', 'oom_batch', 'streams', 'mlp_adam5'])('a part of %s', (name) => {
  const path = `test/fixtures/snapshots/${name}.pickle.gz`;

  it('has the states of the whole at its events', async () => {
    const [whole] = traces(await openInput(path));
    const next = random(name.length);
    for (let n = 0; n < 6; n++) {
      const from = Math.floor(next() * whole!.events);
      const to = from + 1 + Math.floor(next() * (whole!.events - from) * 1.2);
      const recording = await openInput(path, { events: { from, to } });
      expectPart(whole!, traces(recording)[0]!, from, to);
      expect(recording.run.warnings[0]).toContain(`of ${whole!.events} were loaded`);
      expect(recording.run.allocator!.range).toEqual({ from, to: Math.min(to, whole!.events) });
    }
  });
});

it('a part that is the whole has its summary', async () => {
  const path = 'test/fixtures/snapshots/expandable.pickle.gz';
  const [whole] = traces(await openInput(path));
  const [part] = traces(await openInput(path, { events: { from: 0, to: 1e9 } }));
  expect(summary(part!)).toEqual(summary(whole!));
});

const MANNERS: PicklerOptions[] = [
  { protocol: 4 },
  { protocol: 2, lists: 'whole', memo: false },
  { protocol: 3, lists: 'batches', memo: false },
];

describe.each(MANNERS)('a part of a made-up trace (%j)', (manner) => {
  it.each([1, 2, 3, 4])('has the states of the whole (seed %i)', async (seed) => {
    const { snapshot } = synthetic(seed, 600, { expandable: seed % 2 === 0 });
    const bytes = pickle(snapshot, manner);
    const read = async (events?: { from: number; to: number }) =>
      traces(await torchSnapshot.read!(makeInput('made-up', () => [bytes], { events }))).at(-1)!;
    const whole = await read();
    const next = random(seed);
    for (let n = 0; n < 4; n++) {
      const from = Math.floor(next() * whole.events);
      const to = from + 1 + Math.floor(next() * (whole.events - from));
      expectPart(whole, await read({ from, to }), from, to);
    }
  });
});

it('--events refuses what is no snapshot', async () => {
  await expect(
    openInput('test/fixtures/recordings/v4.hw', { events: { from: 0, to: 1 } }),
  ).rejects.toThrow('--events is for memory snapshots');
});
