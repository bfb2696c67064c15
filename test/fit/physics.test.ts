import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sweepsOf } from '../../bench/left-out.ts';
import { forecasts } from '../../src/analyses/fit/forecast.ts';
import type { FitRun } from '../../src/analyses/fit/index.ts';
import { GiB, MiB } from '../../src/base/bytes.ts';
import { readPeakTable } from '../../src/open/peak-table.ts';
import { fitText } from '../../src/views/sweep/fit.ts';
import { highwater, place } from '../support/recorder.ts';
import { ask, runsOf } from './support.ts';

const SWEEPS = sweepsOf(join(import.meta.dirname, '../fixtures/fit/h200-sweeps.csv'));
const sweep = (name: string) => SWEEPS.find((one) => one.name === name)!;

/** Five runs of a GPT on an H200: requested, allocated, reserved, device. */
const GPT = `batch,size,requested_peak,allocated_peak,reserved_peak,device_used
2,128,1065957384,1068248064,1184890880,2070740992
4,128,1182602248,1189777408,1220542464,2106392576
4,1024,4704892936,4715260928,5272240128,6158090240
16,64,1685785096,1685952000,1778384896,2664235008
32,64,2692151816,2697395712,2789212160,3675062272
`;
function gpt(): string {
  const path = place('gpt.csv');
  writeFileSync(path, GPT);
  return path;
}

/** What a table says about a combination, of so much memory with nothing taken. */
function askTable(path: string, gib: number, at: Record<string, string>) {
  const { runs, measures } = readPeakTable(path);
  return ask(runs, gib * 1024, at, { measures });
}

const CHAIN = ['requested_peak', 'allocated_peak', 'reserved_peak', 'device_used'];

describe('figures of one run', () => {
  it('are in order on every screen: requested ≤ allocated ≤ reserved ≤ device', () => {
    for (const [batch, size] of [
      [1, 64],
      [8, 512],
      [16, 512],
      [32, 512],
      [3, 300],
    ]) {
      const { models, answer } = askTable(gpt(), 80, { batch: `${batch}`, size: `${size}` });
      expect(models.map(({ figure }) => figure)).toEqual(CHAIN);
      const told = models.map(({ expected }) => expected!);
      expect(told[2]).toEqual(answer!.needed);
      for (const end of ['lowBytes', 'bytes', 'highBytes'] as const) {
        const ends = told.map((one) => one[end]);
        expect(ends, `${batch} × ${size} ${end}`).toEqual([...ends].sort((a, b) => a - b));
      }
    }
  });

  it('never say yes where the true peak does not fit', () => {
    // As measured: 9.39 GiB reserved, of which five runs alone said "3.6 GiB needed" before.
    const { answer } = askTable(gpt(), 9.3, { batch: '16', size: '512' });
    expect(answer!.verdict).toBe('unsure');
    expect(answer!.needed!.highBytes).toBeGreaterThan(9.39 * GiB);
    // And as measured 4.91 GiB: the whole interval was below before.
    const other = askTable(gpt(), 4.88, { batch: '8', size: '512' }).answer!;
    expect(other.verdict).not.toBe('yes');
    expect(other.needed!.highBytes).toBeGreaterThan(4.91 * GiB);
  });

  it('are left out where they cannot be, and that is said', () => {
    const path = place('odd.csv');
    writeFileSync(path, GPT.replace('1778384896', '177838489'));
    const { notes, models } = askTable(path, 80, { batch: '8', size: '512' });
    expect(notes).toContain(
      'reserved_peak is below allocated_peak in one run, which cannot be: left out there',
    );
    expect(models.find(({ figure }) => figure === 'reserved_peak')!.samples).toBe(4);
    writeFileSync(path, GPT.replaceAll(/,\d+,(\d+)$/gm, ',1,$1'));
    expect(askTable(path, 80, { batch: '8', size: '512' }).unfit).toBe(
      'no run has the figure that is held against the limit',
    );
  });
});

describe('the device', () => {
  it('is what is reserved and a constant, where all runs say so', () => {
    const { models } = askTable(gpt(), 80, { batch: '16', size: '512' });
    const [reserved, device] = models.slice(2);
    expect(device!.link).toMatchObject({ kind: 'plus', figure: 'reserved_peak', bytes: 885850112 });
    for (const end of ['lowBytes', 'bytes', 'highBytes'] as const) {
      expect(device!.expected![end] - reserved!.expected![end]).toBeCloseTo(885850112, -1);
    }
  });

  it.each(['mlp', 'vit', 'unet', 'gpt_amp'])('is so for %s on an H200', (name) => {
    const { runs, measures } = sweep(name);
    const known = runs.map((run) => ({ ...run, params: { ...run.params, model: '' } }));
    const few = known.filter((_, i) => i % 3 === 0);
    const { others } = forecasts(few, ['batch', 'size'], measures);
    expect(others.find(({ figure }) => figure === 'device_used')!.link?.kind).toBe('plus');
  });

  it('is fitted by itself where what is above changes', () => {
    const path = place('growing.csv');
    const rows = [1, 2, 4, 8, 16].map((n) => `${n},${n * 1e9},${n * 1.2e9 + 1e9}`);
    writeFileSync(path, `batch,reserved_peak,device_used\n${rows.join('\n')}\n`);
    const device = askTable(path, 80, { batch: '24' }).models[1]!;
    expect(device.link).toBeNull();
    expect(device.expected!.bytes / 29.8e9).toBeCloseTo(1, 1);
  });
});

describe('more', () => {
  it('never needs less than a smaller run did, by the lower end of the interval too', () => {
    // A peak that jumps: the curve through the small ones would be far too low above.
    const jumping = runsOf(
      (
        [
          [1, 900],
          [2, 1000],
          [3, 1100],
          [4, 1900],
          [6, 1950],
          [8, 2000],
        ] as const
      ).map(([batch, held]) => [{ batch }, held]),
    );
    for (const batch of [5, 7, 9, 12, 16, 20]) {
      const measured = jumping.filter(({ params }) => Number(params.batch) < batch);
      const most = Math.max(...measured.map(({ figures }) => figures.held!));
      const { answer } = ask(jumping, 1e6, { batch: `${batch}` });
      const { bytes, lowBytes, highBytes } = answer!.needed!;
      expect(lowBytes, `batch ${batch}`).toBeGreaterThanOrEqual(most);
      expect(bytes).toBeGreaterThanOrEqual(lowBytes);
      expect(highBytes).toBeGreaterThanOrEqual(bytes);
    }
    // And less never needs more than a larger one: 1 % is what measurements differ by.
    const below = ask(jumping, 1e6, { batch: '5' }).answer!.needed!;
    expect(below.highBytes).toBeLessThanOrEqual(1950 * MiB * 1.0101);
  });

  it.each(['embeddings', 'vit', 'lstm_inference', 'cnn_benchmarked'])(
    'holds for %s on an H200 as far as its own runs do',
    (name) => {
      const { runs, measures } = sweep(name);
      const known = runs.filter((_, i) => i % 2 === 0);
      const { held } = forecasts(known, ['batch'], measures);
      const at = ({ params }: FitRun) => Number(params.batch);
      const bytes = ({ figures }: FitRun) => figures[measures.held]!;
      for (const batch of [...runs.map(at), 1.5 * Math.max(...runs.map(at))]) {
        for (const run of known.filter((one) => at(one) < batch)) {
          // An allocator may round a smaller one to more: that bounds as far as no larger one needed less.
          const least = Math.min(...known.filter((one) => at(one) >= at(run)).map(bytes));
          expect(held!.at([batch]).lowBytes, `${batch}`).toBeGreaterThanOrEqual(least);
        }
      }
    },
  );

  it('is not taken for granted of a parameter that shows otherwise', () => {
    const odd = runsOf([1, 2, 3, 4, 5, 6].map((n) => [{ n }, n % 2 ? 1000 : 2000]));
    expect(ask(odd, 4000, { n: '5' }).parameters[0]!.monotone).toBe(false);
    const down = runsOf([1, 2, 4, 8].map((gpus) => [{ gpus }, 500 + 8000 / gpus]));
    expect(ask(down, 4000, { gpus: '3' }).parameters[0]).toMatchObject({
      falls: true,
      monotone: true,
    });
  });
});

describe('the answer in words', () => {
  const runs = runsOf([1, 2, 4, 8, 12, 16].map((batch) => [{ batch }, 600 + 100 * batch]));
  const words = (limit: number) => fitText(ask(runs, limit, { batch: '24' }));
  const { lowBytes, bytes, highBytes } = ask(runs, 9000, { batch: '24' }).answer!.needed!;

  it('is yes only where the whole interval fits, else likely or not known, and at most how much', () => {
    expect(words(highBytes / MiB + 1)).toMatch(
      /batch=24: yes, 2\.9\d GiB \(\d\.\d\d–\d\.\d\d\) needed/,
    );
    expect(words(highBytes / MiB - 1)).toMatch(/batch=24: likely, 2\.9\d GiB/);
    expect(words(bytes / MiB - 1)).toMatch(
      /batch=24: not known, 2\.9\d GiB \(\S+\) needed, at most \d\.\d\d, 2\.9\d usable/,
    );
    expect(words(lowBytes / MiB - 1)).toMatch(/batch=24: no, /);
    expect(words(9000)).toContain('measured was batch up to 16: beyond, intervals are wider');
  });

  it('is on one screen with figures that go with one another', async () => {
    const argv = ['report', gpt(), '--fit', '24GiB', '--at', 'batch=16,size=512'];
    const { stdout, code } = await highwater(argv);
    expect(code).toBe(0);
    expect(String(stdout)).toMatch(/^ {2}device_used .* reserved_peak \+ 845 MiB$/m);
    const needed = / ([\d.]+ GiB \(\S+\)) needed, .* usable/.exec(String(stdout))![1]!;
    // Once in the answer, once in the table.
    expect(String(stdout).split(needed)).toHaveLength(3);
  });
});
