import { describe, expect } from 'vitest';
import { report } from '../../src/analyses/report.ts';
import { MiB } from '../../src/base/bytes.ts';
import { needs, python } from '../support/programs.ts';
import { open, recorded } from '../support/recorder.ts';

const python3 = needs('python3');

describe('peaks between samples', () => {
  python3('are in the high-water mark, at one sample a second', async () => {
    // An anonymous mapping that is filled by the kernel and gone within a millisecond or few.
    const spike = `
import mmap, time
time.sleep(0.3)
m = mmap.mmap(-1, 200 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | mmap.MAP_POPULATE)
m.close()
time.sleep(2.2)
`.replace('mmap.MAP_POPULATE', '0x8000');
    const { folder } = await recorded(['--rate', '1'], [python(), '-c', spike]);
    const recording = open(folder);
    const process = recording.table('process');
    expect(Math.max(...process.f64('hwm'))).toBeGreaterThan(200 * MiB);
    expect(Math.max(...process.f64('rss'))).toBeLessThan(150 * MiB);
    const told = report(recording).warnings.join('\n');
    expect(told).toContain("the kernel's own high-water mark");
  });

  python3('belong to their own window with --exact-peaks', async () => {
    const spikes = `
import time
time.sleep(0.4)
for _ in range(3):
    data = bytearray(100 << 20)
    del data
    time.sleep(0.4)
`;
    const peaks = async (...flags: string[]) => {
      const { folder } = await recorded(['--rate', '20', ...flags], [python(), '-c', spikes]);
      return [...open(folder).table('process').f64('hwm')];
    };
    const high = (hwm: number) => hwm > 100 * MiB;
    const windows = await peaks('--exact-peaks');
    const firstHigh = windows.findIndex(high);
    expect(firstHigh).toBeGreaterThan(0);
    // Falls again after the first spike, and rises again with the next one.
    const falls = windows.findIndex((hwm, i) => i > firstHigh && !high(hwm));
    expect(falls).toBeGreaterThan(firstHigh);
    expect(windows.slice(falls).some(high)).toBe(true);
    const always = await peaks();
    expect(always.slice(always.findIndex(high)).every(high)).toBe(true);
  });
});
