import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MiB } from '../../src/base/bytes.ts';
import { detect } from '../../src/formats/index.ts';
import { type ImportHints, makeInput } from '../../src/formats/input.ts';
import { parseTimeZone } from '../../src/formats/log-lines/index.ts';
import { nvidiaSmi } from '../../src/formats/nvidia-smi/index.ts';
import type { Recording } from '../../src/model/recording.ts';
import { series } from '../../src/model/series.ts';
import { openLocation } from '../../src/open/open.ts';
import { SHARED, whereShared } from '../support/shared.ts';

const KEPT = 'test/fixtures/formats/nvidia-smi';
const utf8 = (text: string) => new TextEncoder().encode(text);
const readBytes = (bytes: Uint8Array, hints: ImportHints = {}) =>
  nvidiaSmi.read!(makeInput('x.txt', () => [bytes], hints)) as Recording;
const read = (text: string, hints: ImportHints = {}) => readBytes(utf8(text), hints);
const open = (path: string) => openLocation({ path, kind: 'file' });
const mib = (recording: Recording, gpu = 0) =>
  Array.from(series(recording, `gpu${gpu}.used`)?.values ?? [], (bytes) => bytes / MiB);
const warnings = (recording: Recording) => recording.run.warnings.join('\n');

/** n, peak, sample of the peak, first and last sample that is not zero; samples count from 1. */
function figures(values: readonly number[]): number[] {
  const peak = Math.max(...values);
  const busy = values.flatMap((value, i) => (value > 0 ? [i + 1] : []));
  return [values.length, peak, values.indexOf(peak) + 1, busy[0]!, busy.at(-1)!];
}

describe('real logs', () => {
  it.each([
    ['cudnn', 1530, 2183],
    ['direct', 1538, 2213],
    ['fft', 1794, 11619],
    ['im2col', 1585, 2295],
    ['winograd', 1627, 2359],
  ])('a VGG-19 pass on an H200, %s: %i samples, peak %i MiB, idle 839', async (name, n, peak) => {
    const values = mib(await open(`${KEPT}/h200/memory_${name}.txt`));
    expect([values.length, Math.max(...values), values[0], values.at(-1)]).toEqual([
      n,
      peak,
      839,
      839,
    ]);
  });

  whereShared('nvidia-smi-hp3')('the original comparison, to the sample', async () => {
    const logs = ['cudnn', 'fft'].map((name) => join(SHARED, `nvidia-smi-hp3/memory_${name}.txt`));
    const [cudnn, fft] = await Promise.all(logs.map(async (path) => mib(await open(path))));
    expect(figures(cudnn!)).toEqual([720, 622, 580, 358, 620]);
    expect(cudnn!.slice(357, 364)).toEqual([1, 13, 14, 14, 16, 20, 67]);
    expect(figures(fft!)).toEqual([2254, 6247, 1510, 355, 2154]);
  });

  it('all fields: used, reserved, free and total, who, and the true times', async () => {
    const recording = await open(`${KEPT}/driver-580/full.txt`);
    expect(recording.run.gpus).toEqual([
      {
        index: 0,
        uuid: 'GPU-00000000-0000-0000-0000-000000000000',
        name: 'NVIDIA H200',
        memoryBytes: 143771 * MiB,
      },
    ]);
    const table = recording.table('gpu');
    const row = ['used', 'reserved', 'free', 'total'].map((name) => table.f64(name)[0]! / MiB);
    expect(row).toEqual([575, 616, 142582, 143771]);
    const times = table.f64('time');
    expect((times.at(-1)! - times[0]!) / 1e6).toBeCloseTo(482, 3);
    expect(warnings(recording)).not.toMatch(/apart|taken as one/);
  });

  it('other fields in another order, without memory.used: total less free', async () => {
    const recording = await open(`${KEPT}/driver-580/odd-order.txt`);
    expect(Math.min(...mib(recording))).toBeGreaterThan(615);
    expect(warnings(recording)).toMatch(/total less free, what the driver reserves included/);
  });

  it.each(['plain', 'noheader', 'nounits', 'timed', 'count', 'short-names'])(
    '%s: the same figures, whatever the form',
    async (name) => {
      const values = mib(await open(`${KEPT}/driver-580/${name}.txt`));
      expect(values.length).toBeGreaterThan(30);
      // The program beside it held 543 to 863 MiB, in steps of 16.
      for (const value of values) expect([(value - 543) % 16, value < 900]).toEqual([0, true]);
    },
  );

  it.each([
    ['bad-field', /nvidia-smi said 'Field "memory.nonsense" is not a valid field to query/],
    ['no-such-gpu', /nvidia-smi said 'No devices were found'/],
    ['timed-bare', /line 1: no header says which column is memory.used/],
  ])('%s: refused with one line', async (name, message) => {
    await expect(open(`${KEPT}/driver-580/${name}.txt`)).rejects.toThrow(message);
  });
});

describe('times', () => {
  it('are assumed where there are none, and that is said', () => {
    const text = 'memory.used [MiB]\n1 MiB\n2 MiB\n3 MiB\n';
    expect([...read(text).table('gpu').f64('time')]).toEqual([0, 1e7, 2e7]);
    expect(warnings(read(text))).toMatch(/no times in the log: taken as 10 ms apart \(--interval/);
    const told = read(text, { interval: 0.25 });
    expect([...told.table('gpu').f64('time')]).toEqual([0, 2.5e8, 5e8]);
    expect(warnings(told)).not.toMatch(/apart \(--interval/);
  });

  const at = (...clocks: string[]) =>
    `timestamp, memory.used [MiB]\n${clocks.map((c, i) => `2026/10/25 ${c}, ${i} MiB\n`).join('')}`;

  it('are local times of a zone', () => {
    const recording = read(at('12:00:00.000', '12:00:00.500'), {
      timeZone: parseTimeZone('America/Denver'),
    });
    expect(recording.run.startedAt).toBe('2026-10-25T18:00:00.000Z');
    expect(warnings(read(at('12:00:00.000')))).toMatch(/in this machine's time zone/);
  });

  it('go on where the clock was set back', () => {
    const recording = read(at('02:59:59.900', '02:00:00.000', '02:00:00.100'), {
      timeZone: parseTimeZone('UTC'),
    });
    const times = [...recording.table('gpu').f64('time')].map((ns) => Math.round(ns / 1e6));
    expect(times).toEqual([900, 900, 1000]);
    expect(warnings(recording)).toMatch(/set back by .* at line 3/);
  });
});

describe('several GPUs', () => {
  it('by index, interleaved, one of them without an answer', () => {
    const recording = read(
      'index, memory.used [MiB]\n0, 10 MiB\n1, [N/A]\n0, 11 MiB\n1, [N/A]\n0, 12 MiB\n1, 5 MiB\n',
    );
    expect([mib(recording, 0), mib(recording, 1)]).toEqual([[10, 11, 12], [5]]);
    expect([...recording.table('gpu').f64('time')]).toEqual([0, 0, 1e7, 1e7, 2e7, 2e7]);
    expect(warnings(recording)).toMatch(/2 rows of 6 had no figure/);
  });

  it('by uuid, in the order they appear', () => {
    const recording = read(
      'uuid, memory.used [MiB]\nGPU-b, 1 MiB\nGPU-a, 2 MiB\nGPU-b, 3 MiB\nGPU-a, 4 MiB\n',
    );
    expect([mib(recording, 0), mib(recording, 1)]).toEqual([
      [1, 3],
      [2, 4],
    ]);
    expect(recording.run.gpus.map(({ uuid }) => uuid)).toEqual(['GPU-b', 'GPU-a']);
  });

  it('by rows that share a time', () => {
    const row = (ms: number, used: number) => `2026/11/15 21:45:52.${ms}, ${used} MiB\n`;
    const text = `timestamp, memory.used [MiB]\n${row(100, 7)}${row(100, 1)}${row(110, 8)}${row(110, 2)}`;
    expect([mib(read(text), 0), mib(read(text), 1)]).toEqual([
      [7, 8],
      [1, 2],
    ]);
  });

  it('are told by --gpus where nothing tells, and suspected from their rhythm', () => {
    const rows = Array.from({ length: 12 }, (_, i) => `${800 + i} MiB\n3 MiB\n`);
    const text = `memory.used [MiB]\n${rows.join('')}`;
    expect(mib(read(text)).length).toBe(24);
    expect(warnings(read(text))).toMatch(/as if 2 GPUs wrote in turn: if so, say --gpus 2/);
    expect(mib(read(text, { gpus: 2 }), 1)).toEqual(Array(12).fill(3));
    expect(warnings(read('memory.used [MiB]\n1 MiB\n'))).toMatch(/taken as one GPU/);
  });

  it('one is lost midway: the other goes on', () => {
    const lost =
      'Unable to determine the device handle for GPU1: 0000:02:00.0: GPU is lost.  Reboot the system to recover this GPU\n';
    const recording = read(
      `index, memory.used [MiB]\n0, 1 MiB\n1, 9 MiB\n0, 2 MiB\n1, [GPU is lost]\n${lost}0, 3 MiB\n`,
    );
    expect([mib(recording, 0), mib(recording, 1)]).toEqual([[1, 2, 3], [9]]);
    expect(warnings(recording)).toMatch(/nvidia-smi said 1 time: Unable to determine/);
  });
});

describe('what goes wrong with logs', () => {
  it.each([
    ['memory.used [MiB]\n1 MiB\n2 MiB\n3', [1, 2], /last line has no end: dropped/],
    [
      'memory.used [MiB]\n1 MiB\n[N/A]\n[Not Supported]\n[Unknown Error]\n2 MiB\n',
      [1, 2],
      /3 rows of 5/,
    ],
    ['memory.used [MiB]\n1 MiB\nmemory.used [MiB]\n2 MiB\n', [1, 2], /started again once/],
    ['memory.used [MiB]\n1 MiB\n6memory.used [MiB]\n2 MiB\n', [1, 2], /started again once/],
    ['memory.used [MB]\n1 MB\n2 MB\n', [1, 2], /taken as one GPU/],
    ['memory.used\r\n1\r\n2\r\n', [1, 2], /taken as one GPU/],
    ['memory.used [MiB]\n1 MiB\n2 MiB\n\0\0\0\0', [1, 2], /taken as one GPU/],
  ])('%j is read', (text, values, warning) => {
    expect(mib(read(text))).toEqual(values);
    expect(warnings(read(text))).toMatch(warning);
  });

  it.each(['utf-16le', 'utf-16be', 'utf-8'])('the header in %s with its mark', (encoding) => {
    const text = '\ufeffmemory.used [MiB]\r\n1 MiB\r\n2 MiB\r\n';
    const bytes = Buffer.from(text, encoding === 'utf-8' ? 'utf8' : 'utf16le');
    if (encoding === 'utf-16be') bytes.swap16();
    expect(detect(new Uint8Array(bytes), 'x.txt')?.id).toBe('nvidia-smi');
    expect(mib(readBytes(new Uint8Array(bytes)))).toEqual([1, 2]);
  });

  it.each<[string, RegExp]>([
    ['', /^x.txt is no nvidia-smi log$/],
    ['memory.used [MiB]\n', /has a header of nvidia-smi, but no whole row/],
    ['memory.used [MiB]\n1 MiB\nhello\n', /x.txt, line 3: 'hello' is no amount of memory/],
    ['memory.used [MiB]\n1 MiB, 2 MiB\n', /line 2: .* has 2 fields, expected 1/],
    ['index, memory.used [MiB]\nx, 2 MiB\n', /line 2: 'x' is no index of a GPU/],
    ['memory.used [MiB]\n[N/A]\n', /no figure of memory in use/],
    ['utilization.gpu [%]\n3 %\n', /no figure of memory in use/],
    ['timestamp, memory.used [MiB]\n2026/13/15 21:45:52, 2 MiB\n', /line 2: .* is no time/],
    ['1 MiB, 2 MiB\n1 MiB, 2 MiB\n', /line 1: no header says which column/],
  ])('%j is refused with one line', (text, message) => {
    expect(() => read(text)).toThrow(message);
  });

  it.each([
    'hello\nworld\n',
    '622\n622\n622\n622\n',
    'seconds,mem_used\n1,2\n',
    'it took 5 MiB\nit took 5 MiB\nit took 5 MiB\n',
    '1 MiB\n2 MiB\n',
    'Error: cannot open\n',
  ])('%j is not taken for one', (text) => {
    expect(nvidiaSmi.sniff(utf8(text))).toBe(false);
  });
});

describe('export --to nvidia-smi', () => {
  const written = (recording: Recording) => [...nvidiaSmi.write!(recording)].join('');

  it('a log comes out as it went in, to the byte', () => {
    const bytes = readFileSync(`${KEPT}/h200/memory_fft.txt`);
    expect(written(readBytes(bytes))).toBe(bytes.toString());
  });

  it('several GPUs can be told apart, and what was not measured is no zero', () => {
    const text = 'index, memory.used [MiB]\n0, 10 MiB\n3, [N/A]\n0, 11 MiB\n3, 0 MiB\n';
    expect(written(read(text))).toBe(text);
  });

  it('is named as the original comparison did', () => {
    const name = (text: string) => nvidiaSmi.fileName!({ ...read('1 MiB\n').run, name: text });
    expect(['fft', 'memory_fft.txt', 'a/b c'].map(name)).toEqual([
      'memory_fft.txt',
      'memory_fft.txt',
      'memory_a-b-c.txt',
    ]);
  });
});
