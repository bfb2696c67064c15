import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allocationFacts } from '../../src/analyses/allocations/allocation-facts.ts';
import { type Flame, flame } from '../../src/analyses/allocations/flame/index.ts';
import { callSites } from '../../src/analyses/allocations/flame/sites.ts';
import { layoutAt } from '../../src/analyses/allocations/layout.ts';
import { report } from '../../src/analyses/report.ts';
import { summary } from '../../src/model/allocations/curve.ts';
import { lifetimes } from '../../src/model/allocations/lifetimes.ts';
import { traces } from '../../src/model/allocations/trace.ts';
import { openInput } from '../../src/open/open.ts';

const PLAIN = { byCategory: false, native: true };

async function opened(name: string) {
  const recording = await openInput(resolve(`test/fixtures/snapshots/${name}.pickle.gz`));
  const trace = traces(recording)[0]!;
  const [device] = report(recording).devices;
  return { recording, trace, device: device!, peak: summary(trace).peakEvent };
}

/** Bytes of roots, by name. */
const roots = (of: Flame) =>
  Object.fromEntries(
    of.parent.flatMap((parent, node) =>
      parent < 0 ? [[of.frames[of.frame[node]!]!.function, of.bytes[node]!]] : [],
    ),
  );

describe('a flame graph', () => {
  it('of the peak has all its bytes, a node never more than its caller', async () => {
    const { recording, trace, device, peak } = await opened('training/gpt_adam_allstacks');
    const live = flame(callSites(recording, trace, { at: peak }, PLAIN), null);
    expect(live.totalBytes).toBe(device.peakRequestedBytes);
    const below = new Float64Array(live.parent.length);
    for (const [node, parent] of live.parent.entries()) {
      if (parent >= 0) below[parent]! += live.bytes[node]!;
    }
    expect(live.parent.every((parent, node) => parent < node)).toBe(true);
    expect(live.bytes.every((bytes, node) => below[node]! <= bytes)).toBe(true);
  });

  it('by category agrees with the report', async () => {
    const { recording, trace, device, peak } = await opened('training/gpt_adam_allstacks');
    const sites = callSites(recording, trace, { at: peak }, { byCategory: true, native: false });
    const expected = device.categories.map(({ category, bytes }) => [category, bytes]);
    expect(roots(flame(sites, null))).toEqual(Object.fromEntries(expected));
  });

  it('leaves C++ frames out where a stack has others', async () => {
    const { recording, trace, peak } = await opened('training/gpt_adam_allstacks');
    const files = (native: boolean) =>
      callSites(recording, trace, { at: peak }, { byCategory: false, native })
        .filter(({ path }) => path.some(({ file }) => file.endsWith('.py')))
        .flatMap(({ path }) => path.map(({ file }) => file));
    expect(files(true).some((file) => file !== '' && !file.endsWith('.py'))).toBe(true);
    expect(files(false).every((file) => /\.py$|^</.test(file))).toBe(true);
  });

  it('of a range counts what was allocated in it', async () => {
    const { recording, trace } = await opened('mlp_adam5');
    const life = lifetimes(trace);
    const [from, to] = [100, 200];
    let bytes = 0;
    for (let row = 0; row < life.allocs; row++) {
      if (life.start[row]! >= from && life.start[row]! < to) bytes += life.size[row]!;
    }
    expect(flame(callSites(recording, trace, { from, to }, PLAIN), null).totalBytes).toBe(bytes);
  });

  it('of two moments keeps what was only there before', async () => {
    const { recording, trace, device, peak } = await opened('mlp_adam5');
    const sites = (at: number) => callSites(recording, trace, { at }, PLAIN);
    const last = trace.events - 1;
    const change = flame(sites(last), sites(peak));
    expect(change.totalBeforeBytes).toBe(device.peakRequestedBytes);
    expect(change.totalBytes).toBe(device.endRequestedBytes);
    const gone = change.parent.some(
      (_, node) => change.bytes[node] === 0 && change.beforeBytes![node]! > 0,
    );
    expect(gone).toBe(true);
  });

  it('leaves out the smallest of too many nodes, and says how many', () => {
    const sites = Array.from({ length: 50_000 }, (_, i) => ({
      path: [{ function: `f${i}`, file: 'a.py', line: i }],
      bytes: i + 1,
      allocations: 1,
    }));
    const pruned = flame(sites, null);
    expect(pruned.parent.length + pruned.prunedNodes).toBe(50_000);
    expect(pruned.parent.length).toBeLessThan(50_000);
    expect(Math.min(...pruned.bytes)).toBeGreaterThan(10_000);
    expect(pruned.totalBytes).toBe((50_000 * 50_001) / 2);
  });
});

describe('segments', () => {
  it('agree with the report, and blocks and holes fill them', async () => {
    const { recording, trace, device, peak } = await opened('training/gpt_leak');
    const layout = layoutAt(recording, trace, peak);
    const { header } = layout;
    const told = device.fragmentation!;
    expect(header).toMatchObject({
      reservedBytes: told.reservedBytes,
      requestedBytes: told.requestedBytes,
      pinnedBytes: told.pinnedBytes,
      cachedBytes: told.cachedBytes,
      largestHoleBytes: told.largestHoleBytes,
    });
    const used = new Float64Array(header.segments.length);
    const [segment, size] = [layout.u32('segment'), layout.f64('size')];
    for (const [i, of] of segment.entries()) used[of]! += size[i]!;
    for (const [i, one] of header.segments.entries()) {
      expect(used[i]! + one.freeBytes, one.address).toBe(one.bytes);
      expect(one.holder === null).toBe(one.blocks === 0);
    }
  });
});

describe('one allocation', () => {
  it('is told with its stack, its reason, its end and who freed it', async () => {
    const { recording, trace } = await opened('training/gpt_leak');
    const life = lifetimes(trace);
    const row = life.freeRequested.findIndex(
      (event) => event >= 0 && trace.stacks[event]! < 0xfffffffe,
    );
    const facts = allocationFacts(recording, trace, row)!;
    expect(facts.bytes).toBe(life.size[row]);
    expect(facts.allocated!.event).toBe(life.start[row]);
    expect(facts.freed!.event).toBe(life.end[row]);
    expect(facts.freeRequested!.frames.length).toBeGreaterThan(0);
    expect(facts.reason).not.toBe('');
    expect(facts.lifetimeSeconds).toBeGreaterThanOrEqual(0);
    expect(facts.address).toMatch(/^0x[0-9a-f]+$/);
  });

  it.each([-1, 1e9, Number.NaN, 1.5])('%s is none', async (row) => {
    const { recording, trace } = await opened('mlp_adam5');
    expect(allocationFacts(recording, trace, row)).toBeNull();
  });

  it('tells those from before the trace as such', async () => {
    const { recording, trace } = await opened('training/gpt_overflowed');
    const life = lifetimes(trace);
    const facts = allocationFacts(recording, trace, life.allocs)!;
    expect(facts.allocated).toBeNull();
    expect(facts.lifetimeSeconds).toBeNull();
  });
});
