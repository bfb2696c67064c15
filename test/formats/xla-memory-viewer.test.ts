import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { report } from '../../src/analyses/report.ts';
import { MiB } from '../../src/base/bytes.ts';
import { detect } from '../../src/formats/index.ts';
import { makeInput } from '../../src/formats/input.ts';
import { xlaMemoryViewer } from '../../src/formats/xla-memory-viewer.ts';
import type { Recording } from '../../src/model/recording.ts';

/** A training step of three layers, by JAX 0.10.2 on the CPU, as XProf 2.24.2 answers for it. */
const FILE = readFileSync(
  'test/fixtures/formats/xla-memory-viewer/xprof-2.24.2/memory_viewer.json',
);
const read = (text: string | Uint8Array) =>
  xlaMemoryViewer.read!(makeInput('mv.json', () => [Buffer.from(text)])) as Recording;
const json = (value: unknown) => read(JSON.stringify(value));

describe('XProf’s memory viewer', () => {
  it('is recognised by its beginning', () => {
    expect(detect(FILE.subarray(0, 4096), 'x')?.id).toBe('xla-memory-viewer');
  });

  it('has every buffer of the program’s peak, and the lines of source', () => {
    const { liveStacks, verdict, warnings } = report(read(FILE));
    const { peakHeapMib, indefiniteBufferAllocationMib } = JSON.parse(String(FILE)) as {
      peakHeapMib: number;
      indefiniteBufferAllocationMib: number;
    };
    expect(liveStacks!.moment).toBe('peak');
    expect(liveStacks!.bytes).toBe(Math.round(peakHeapMib * MiB));
    expect(liveStacks!.parts.map(({ kind, bytes }) => [kind, bytes / MiB])).toEqual([
      ['Temporary', 14.59765625],
      ['Parameter', 6.29296875],
      ['', 48 / MiB],
    ]);
    expect(liveStacks!.leftBytes).toBeLessThanOrEqual(indefiniteBufferAllocationMib * MiB);
    expect(liveStacks!.leftBytes).toBe(6.29296875 * MiB);
    // def layer(h, w): return jax.nn.gelu(h @ w["up"]) @ w["down"] + h
    expect(liveStacks!.places[0]).toMatchObject({ where: 'train.py:3', objects: 13 });
    expect(verdict.cause.sentence).toContain('in use at the heap');
    expect(warnings.join()).toContain('what XLA planned for one run of jit_train_step');
    expect(warnings).toHaveLength(1);
  });

  it('says what is padding, and what is listed of the peak', () => {
    const viewer = {
      heapSizes: [64],
      maxHeap: [{ label: 'a', logicalBufferSizeMib: 32 }, { instructionName: 'b' }],
      peakHeapMib: 64,
      peakUnpaddedHeapMib: 48,
    };
    const { warnings } = report(json(viewer));
    expect(warnings.join('\n')).toMatch(/peak is 64\.0 MiB, of which 32\.0 MiB are listed/);
    expect(warnings.join('\n')).toMatch(/16\.0 MiB of it is padding/);
  });

  it.each([
    ['no list', { heapSizes: [] }, /no list of buffers/],
    ['an empty list', { maxHeap: [] }, /has no samples/],
    ['no sizes', { maxHeap: [{ logicalBufferSizeMib: 'big' }] }, /buffer 1 has no size/],
    ['negative sizes', { maxHeap: [{}, { logicalBufferSizeMib: -1 }] }, /buffer 2 has no size/],
    ['sizes beyond counting', { maxHeap: [{ logicalBufferSizeMib: 1e300 }] }, /no size/],
    ['buffers that are none', { maxHeap: [7] }, /buffer 1 has no size/],
  ])('is refused with %s', (_, value, message) => {
    expect(() => json(value)).toThrow(message);
  });

  it('takes strange texts for what they are', () => {
    const { liveStacks } = report(
      json({
        maxHeap: [
          { logicalBufferSizeMib: 1, sourceInfo: { stackFrame: 'C:\\x.py:9:1\n:\n::9\nx.py' } },
          { logicalBufferSizeMib: 2, tfOpName: 5, sourceInfo: 'x', logicalBufferId: {} },
        ],
        indefiniteLifetimes: [7, { logicalBuffers: [null, { id: 4 }] }],
      }),
    );
    expect(liveStacks!.bytes).toBe(3 * MiB);
  });

  it('is refused where it is cut short', () => {
    expect(() => read(FILE.subarray(0, 5000))).toThrow(/mv\.json is no JSON/);
  });
});
