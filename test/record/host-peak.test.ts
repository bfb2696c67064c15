import { writeFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import type { Report } from '../../src/analyses/report.ts';
import { MiB } from '../../src/base/bytes.ts';
import { needs, python } from '../support/programs.ts';
import { highwater, place, recorded } from '../support/recorder.ts';

/** A mapped file that was read, memory of malloc's, and a thread. */
const PROGRAM = `
import mmap, sys, time
file = open(sys.argv[1], "rb")
data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
total = sum(data[i] for i in range(0, len(data), 4096))
kept = [b"x" * (1 << 20) for _ in range(120)]
time.sleep(0.5)
kept += [b"y" * (1 << 20) for _ in range(60)]
time.sleep(1)
`;

describe('what the host held at its peak', () => {
  needs('python3')('is told by part, and adds up to the resident size', async () => {
    const file = place('weights.bin');
    writeFileSync(file, Buffer.alloc(48 * MiB, 7));
    const { folder } = await recorded([], [python(), '-c', PROGRAM, file]);
    const told = await highwater(['report', folder, '--json']);
    const { hostPeak } = JSON.parse(String(told.stdout)) as Report;
    const [holder] = hostPeak.holders;
    expect(holder).toMatchObject({ role: 'main' });
    const { atBytes, peakBytes, parts } = holder!;
    expect(parts.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(atBytes);
    expect(atBytes).toBeGreaterThan(200 * MiB);
    expect(atBytes).toBeLessThan(peakBytes + 16 * MiB);
    const mapped = parts.find(({ what }) => what === 'mapped files')!;
    expect(mapped.of[0]).toMatchObject({ name: file });
    expect(mapped.of[0]!.bytes).toBeGreaterThanOrEqual(48 * MiB);
    const anonymous = parts.filter(({ what }) => !/libraries|files|stacks|shared/.test(what));
    expect(anonymous.reduce((sum, { bytes }) => sum + bytes, 0)).toBeGreaterThan(120 * MiB);
    const text = String((await highwater(['report', folder])).stdout);
    expect(text).toMatch(/What main held at its peak \(process \d+\)/);
    expect(text).toMatch(/mapped files\n\s+48\.\d MiB .*weights\.bin/);
  });
});
