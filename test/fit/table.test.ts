import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readPeakTable } from '../../src/open/peak-table.ts';
import { highwater, place } from '../support/recorder.ts';

const UNET = join(import.meta.dirname, '../fixtures/fit/unet-peaks.csv');

function table(text: string): string {
  const path = place('peaks.csv');
  writeFileSync(path, text);
  return path;
}

describe('a table of peaks measured elsewhere', () => {
  it('answers as a sweep does', async () => {
    const argv = ['report', UNET, '--fit', '40GiB', '--at', 'batch=48,size=384'];
    const { stdout, code } = await highwater(argv);
    expect(code).toBe(0);
    const text = String(stdout);
    expect(text).toMatch(
      /^What fits into 40 GiB: 39\.4 GiB usable, 641 MiB taken \(context and others: device_used beyond reserved_peak\)\.$/m,
    );
    expect(text).toMatch(
      /^ {2}model=unet: batch=48,size=384: yes, 3\d\.\d GiB \(\d\d\.\d–\d\d\.\d\) needed, 39\.4 usable; largest that fits: \d\d$/m,
    );
    expect(text).toMatch(/requested_peak .* × batch × size²$/m);
    const json = JSON.parse(String((await highwater([...argv, '--json'])).stdout));
    expect(json).toMatchObject({
      type: 'peak-table',
      fit: { type: 'fit', held: 'reserved_peak', live: 'requested_peak' },
    });
  }, 60_000);

  it('knows units and roles by the names of columns', () => {
    const { runs, measures, inUse } = readPeakTable(
      table('batch,kernel,peak_mib\n1,fft,10\n2,"a,b",\n'),
    );
    expect(runs).toEqual([
      {
        params: { batch: '1', kernel: 'fft' },
        figures: { peak_mib: 10 * 2 ** 20 },
        outOfMemory: false,
      },
      { params: { batch: '2', kernel: 'a,b' }, figures: {}, outOfMemory: false },
    ]);
    expect(measures).toEqual({ held: 'peak_mib', live: null, others: [] });
    expect(inUse.bytes).toBe(0);
  });

  it.each([
    ['seconds,batch\n1,2\n', /is no table of peaks/],
    ['batch,peak\n', /is no table of peaks/],
    ['', /is no table of peaks/],
    ['batch,peak\n1,2,3\n', /line 2: 3 cells, and the head has 2/],
    ['batch,peak\n1,12\n2,many\n', /line 3: 'many' is no peak/],
    ['batch,peak\n1,"12\n', /line 2: quotes that do not match/],
  ])('refuses %j in one line', (text, message) => {
    expect(() => readPeakTable(table(text))).toThrow(message);
  });
});
