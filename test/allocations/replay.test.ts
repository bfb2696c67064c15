import { describe, expect, it } from 'vitest';
import { makeInput } from '../../src/formats/input.ts';
import { torchSnapshot } from '../../src/formats/torch-snapshot/index.ts';
import { addressNumber } from '../../src/model/allocations/address-book.ts';
import { curve, summary } from '../../src/model/allocations/curve.ts';
import { lifetimes } from '../../src/model/allocations/lifetimes.ts';
import { stateAt } from '../../src/model/allocations/state.ts';
import { type DeviceTrace, traces } from '../../src/model/allocations/trace.ts';
import { pickle } from '../support/pickler.ts';
import { type Synthetic, synthetic } from './synthetic.ts';

async function traceOf({ snapshot }: Synthetic): Promise<DeviceTrace> {
  const bytes = pickle(snapshot);
  const recording = await torchSnapshot.read!(makeInput('made-up', () => [bytes]));
  return traces(recording).find((trace) => trace.device === 1)!;
}

const CASES = Array.from({ length: 12 }, (_, seed) => [seed, seed % 2 === 1] as const);

describe.each(CASES)(
  'a made-up trace without its beginning (seed %i, expandable %s)',
  (seed, expandable) => {
    const made = synthetic(seed + 1, 400, { expandable });

    it('has the bytes that were there, at every event', async () => {
      const trace = await traceOf(made);
      const { requested, reserved } = curve(trace);
      const after = made.states.slice(1);
      expect([...requested]).toEqual(after.map((state) => state.requested));
      expect([...reserved]).toEqual(after.map((state) => state.reserved));
      const bytes = summary(trace);
      expect(bytes.startRequested).toBe(made.states[0]!.requested);
      expect(bytes.startReserved).toBe(made.states[0]!.reserved);
      const peak = Math.max(...made.states.map((state) => state.requested));
      expect(bytes.peakRequested).toBe(peak);
      expect(bytes.peakEvent).toBe(made.states.findLastIndex((s) => s.requested === peak) - 1);
    });

    it('has the blocks that were there, at every event', async () => {
      const trace = await traceOf(made);
      const lives = lifetimes(trace);
      expect([lives.unmatchedAllocs, lives.unmatchedFrees]).toEqual([0, 0]);
      const book = trace.addressBook;
      for (const [i, known] of made.states.entries()) {
        const state = stateAt(trace, i - 1);
        const found = [...state.live].map((row) => [
          addressNumber(book, lives.addressOf(row)),
          lives.size[row]!,
        ]);
        expect(found, `before event ${i}`).toEqual([...known.live].sort((a, b) => a[0] - b[0]));
        expect(state.regions.map(({ address, size }) => [address, size])).toEqual(known.regions);
        expect(state.reservedBytes).toBe(known.reserved);
        for (const { size, blocks, holes } of state.regions) {
          const parts = [...blocks, ...holes].reduce((sum, part) => sum + part.size, 0);
          expect(parts).toBe(size);
        }
      }
    });

    it('tells when the end was asked for', async () => {
      const trace = await traceOf(made);
      const { count, freeRequested, start, end } = lifetimes(trace);
      for (let row = 0; row < count; row++) {
        if (freeRequested[row]! < 0) continue;
        expect(freeRequested[row]).toBeGreaterThan(start[row]!);
        expect(freeRequested[row]).toBeLessThan(end[row]!);
      }
    });
  },
);
