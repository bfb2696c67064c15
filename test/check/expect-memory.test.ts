import { describe, expect, it } from 'vitest';
import { expectMemory } from '../../src/sdk/expect-memory.ts';

const MiB = 2 ** 20;
const filled = (mib: number) => Buffer.alloc(mib * MiB, 1);

describe('expectMemory', () => {
  it('knows the peak of a call, also of what is let go within it', async () => {
    const { peakBytes } = await expectMemory(() => void filled(96), { peak: '200MiB' });
    expect(peakBytes).toBeGreaterThan(80 * MiB);
    await expect(expectMemory(() => void filled(96), { peak: '48MiB' })).rejects.toThrow(
      /memory: .* at the peak, 48.0 MiB allowed/,
    );
  });

  it('finds what is kept from call to call, and clears what is not', async () => {
    const kept: Buffer[] = [];
    await expect(
      expectMemory(() => kept.push(filled(0.25)), { leak: false, calls: 40 }),
    ).rejects.toThrow(/it leaks 2\d\d KiB a call over 40 calls/);
    const { bytesPerCall } = await expectMemory(() => void filled(0.25), {
      leak: false,
      calls: 40,
    });
    expect(Math.abs(bytesPerCall!)).toBeLessThan(32 * 1024);
  });

  it('waits for promises and passes on what is thrown', async () => {
    await expect(
      expectMemory(async () => Promise.reject(new Error('mine')), { peak: '1GiB' }),
    ).rejects.toThrow('mine');
  });

  it('refuses limits that it cannot read', async () => {
    await expect(expectMemory(() => {}, { peak: 'much' })).rejects.toThrow("'much' is not a size");
    await expect(expectMemory(() => {}, { leak: false, calls: 3 })).rejects.toThrow('at least 30');
  });
});
