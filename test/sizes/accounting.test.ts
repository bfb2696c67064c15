import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { MiB } from '../../src/base/bytes.ts';
import { type ProcessSizes, readImports, readSizes, withImports } from '../../src/model/sizes.ts';
import { parseMappings } from '../../src/sources/mapping.ts';
import { mappedParts, readMappings } from '../../src/sources/mappings/index.ts';
import { sizesAccounting, sizesLine, sizesSentence, topWord } from '../../src/views/sizes.ts';

const SIZES: ProcessSizes = {
  language: 'python',
  pid: 1,
  root: 'Net',
  topsize: 100 * MiB,
  code: { mapped: 20 * MiB, loaded: null },
  simsize: 10 * MiB,
  wtsize: 15908552,
  devices: { 'cuda:0': 5 * MiB },
  connections: 2197512,
  explained: 30 * MiB + 15908552,
  optimisable: 80 * MiB - 15908552,
  rest: [
    ['objects outside the root', 12 * MiB],
    ['kept by malloc, free', 8 * MiB],
    ['what imports and libraries allocate', 50 * MiB - 15908552 - 0],
  ],
  notes: [],
};

describe('the words of the original', () => {
  it('are those of the guide', () => {
    const guide = { ...SIZES, topsize: 52 * MiB };
    expect(sizesLine(guide)).toBe('topsize:52m =? code + simsize:10MB + wtsize:15MB (25MB tot)');
    expect(sizesSentence(2197512, 15908552)).toBe(
      'Defined 2197512-connection network; 15MB required for weight storage.',
    );
    expect([2908 * 1024, 10 * MiB, 1434 * MiB].map(topWord)).toEqual(['2908', '10m', '1.4g']);
  });

  it('state what the line leaves to its reader', () => {
    expect(sizesAccounting(withImports(SIZES, 10 * MiB))).toEqual([
      'code: 30 MiB (20 MiB of libraries and programs mapped, 10 MiB that imports allocate)',
      'explained: 55.2 MiB of 100 MiB (55 %)',
      'could be optimised: 54.8 MiB (55 %), all but code and arrays',
      "the rest: kept by malloc, free 8 MiB, objects outside the root 2 MiB, libraries' own memory (buffers, thread stacks) 34.8 MiB",
      'on cuda:0, not part of the process size: arrays 5 MiB',
    ]);
    expect(sizesAccounting(SIZES)[0]).toMatch(/what imports allocate was not measured\)$/);
  });

  it.each([0, 10, 40, 60, 500])('adds up to the process with %d MiB of imports', (mib) => {
    const { topsize, explained, rest } = withImports(SIZES, mib * MiB);
    const sum = rest.reduce((total, [, bytes]) => total + bytes, explained);
    if (explained < topsize) expect(Math.abs(sum / topsize - 1)).toBeLessThan(0.011);
    else expect(rest).toEqual([]);
  });
});

describe('what a process tells', () => {
  it('is read back without loss', () => {
    expect(readSizes(JSON.parse(JSON.stringify(SIZES)))).toEqual(SIZES);
  });

  it.each([
    null,
    5,
    [],
    {},
    { ...SIZES, topsize: -1 },
    { ...SIZES, simsize: '5' },
    { ...SIZES, code: null },
    { ...SIZES, code: { mapped: 1 } },
    { ...SIZES, explained: Number.NaN },
  ])('is refused where it is %s', (value) => {
    expect(readSizes(value)).toBeNull();
  });

  it('has nothing started that is no path', () => {
    const imports = { executable: '/usr/bin/python3', path: ['/a', 5], modules: ['torch', null] };
    expect(readImports({ imports })).toEqual({
      executable: '/usr/bin/python3',
      path: ['/a'],
      modules: ['torch'],
    });
    for (const executable of ['', 'python3', '-c', 7]) {
      expect(readImports({ imports: { ...imports, executable } })).toBeNull();
    }
  });
});

describe('mappings', () => {
  const row = (range: string, flags: string, path: string, kib: number) =>
    `${range} ${flags} 00000000 08:01 123 ${' '.repeat(20)}${path}\nSize: 1 kB\nRss: ${kib} kB\nPss: 1 kB`;
  const TEXT = [
    row('1000-2000', 'r--p', '/usr/lib/libtorch.so', 100),
    row('2000-3000', 'r-xp', '/usr/lib/libtorch.so', 200),
    row('3000-4000', 'rw-p', '/usr/lib/libtorch.so', 4),
    row('4000-5000', 'rw-p', '', 4),
    row('100000-200000', 'r--p', '/data/model file.npy', 50),
    row('200000-300000', 'rw-p', '[heap]', 70),
    row('400000-800000', 'rw-p', '', 4000),
    row('900000-901000', 'rw-p', '', 2),
    row('a00000-a01000', '---p', '', 0),
    row('a01000-1201000', 'rw-p', '', 30),
    row('2000000-2001000', 'rw-s', '/dev/shm/torch_1', 9),
    row('2100000-2101000', 'rw-s', '/dev/nvidia0', 3),
    row('7ff000000000-7ff000001000', 'rw-p', '[stack]', 5),
  ].join('\n');

  it('are told apart', () => {
    const parts = mappedParts(parseMappings(TEXT));
    expect(Object.fromEntries(Object.entries(parts).map(([kind, b]) => [kind, b / 1024]))).toEqual({
      code: 308,
      files: 50,
      heap: 70,
      blocks: 4000,
      smallBlocks: 2,
      stacks: 35,
      shared: 9,
      devices: 3,
    });
  });

  it('add up to the process', () => {
    const status = readFileSync('/proc/self/status', 'utf8');
    const rss = Number(/^VmRSS:\s+(\d+)/m.exec(status)![1]) * 1024;
    const parts = mappedParts(readMappings(process.pid)!);
    const sum = Object.values(parts).reduce((total, bytes) => total + bytes, 0);
    expect(Math.abs(sum / rss - 1)).toBeLessThan(0.1);
    expect(parts.code).toBeGreaterThan(10 * MiB);
  });

  it('of nobody are none', () => expect(readMappings(2 ** 30)).toBeNull());
});
