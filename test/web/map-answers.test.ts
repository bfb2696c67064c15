import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allocationFacts } from '../../src/analyses/allocations/allocation-facts.ts';
import { CATEGORIES } from '../../src/analyses/allocations/evidence/reasons.ts';
import { arranged } from '../../src/analyses/allocations/flame/arranged.ts';
import { type Flame, flame } from '../../src/analyses/allocations/flame/index.ts';
import { callSites } from '../../src/analyses/allocations/flame/sites.ts';
import { layoutAt } from '../../src/analyses/allocations/layout.ts';
import { report } from '../../src/analyses/report.ts';
import { summary } from '../../src/model/allocations/curve.ts';
import { ownerOf } from '../../src/model/allocations/frame-owner.ts';
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

const rootsOf = ({ parent }: Flame) => [...parent.keys()].filter((node) => parent[node]! < 0);

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

  it('has neither C++ nor the recorder of stacks in it unless it is asked for', async () => {
    const { recording, trace, peak } = await opened('training/gpt_adam_allstacks');
    const frames = (native: boolean) =>
      callSites(recording, trace, { at: peak }, { byCategory: false, native }).flatMap(
        ({ path }) => path,
      );
    const names = (native: boolean) => frames(native).map((frame) => frame.function);
    expect(names(true).some((name) => name.startsWith('at::'))).toBe(true);
    expect(names(true).filter((name) => /unwind|CapturedTraceback/.test(name))).toEqual([]);
    for (const { file, function: name } of frames(false)) {
      expect(/\.py$|^</.test(file) || /^\[.* Python frames\]$/.test(name), name).toBe(true);
    }
    expect(names(false)).toContain("[autograd's thread, without Python frames]");
  });

  it.each(['own', 'called', 'callees', 'modules'] as const)(
    'arranged as %s has the same bytes, by category too',
    async (how) => {
      const { recording, trace, device, peak } = await opened('training/gpt_adam_allstacks');
      const whole = flame(callSites(recording, trace, { at: peak }, PLAIN), null);
      for (const categoryFirst of [false, true]) {
        const view = { arranged: how, categoryFirst, categories: null };
        const shown = arranged(whole, view);
        expect(shown.totalBytes).toBe(device.peakRequestedBytes);
        const sums = CATEGORIES.map((category, i) => ({
          category,
          bytes: rootsOf(shown).reduce((sum, node) => sum + shown.mix[i]![node]!, 0),
        }));
        for (const { category, bytes } of sums) {
          const told = device.categories.find((one) => one.category === category);
          expect(bytes, category).toBe(told?.bytes ?? 0);
        }
      }
      const only = arranged(whole, {
        ...{ arranged: how, categoryFirst: false, categories: ['activation'] as const },
      });
      const told = device.categories.find(({ category }) => category === 'activation');
      expect(only.totalBytes).toBe(told!.bytes);
    },
  );

  it("has the program's own lines above what they call, or below where it is inverted", async () => {
    const { recording, trace, peak } = await opened('training/gpt_adam_allstacks');
    const sites = callSites(recording, trace, { at: peak }, { byCategory: false, native: false });
    const whole = flame(sites, null);
    const view = { categoryFirst: false, categories: null };
    const own = arranged(whole, { ...view, arranged: 'own' });
    const owner = (node: number) => ownerOf(own.frames[own.frame[node]!]!);
    for (const [node, parent] of own.parent.entries()) {
      if (parent >= 0 && owner(node) === 'program') expect(owner(parent)).toBe('program');
    }
    const inverted = arranged(whole, { ...view, arranged: 'callees' });
    const outermost = new Set(sites.map(({ path }) => path[0]!.function));
    const leaves = inverted.ends.node.map((node) => inverted.frames[inverted.frame[node]!]!);
    expect(leaves.every((frame) => outermost.has(frame.function))).toBe(true);
    const modules = roots(arranged(whole, { ...view, arranged: 'modules' }));
    expect(modules["the program's own code"]).toBeGreaterThan(0);
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
