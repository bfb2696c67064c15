import { describe, expect, it } from 'vitest';
import { makeInput } from '../../src/formats/input.ts';
import { mprof } from '../../src/formats/mprof.ts';
import { psrecord } from '../../src/formats/psrecord.ts';
import type { Recording } from '../../src/model/recording.ts';
import { series } from '../../src/model/series.ts';
import { openInput } from '../../src/open/open.ts';

const MiB = 1024 ** 2;
const open = (path: string) => openInput(`test/fixtures/formats/${path}`);
const peak = (recording: Recording) => Math.max(...series(recording, 'tree.rss')!.values) / MiB;
const read = (format: typeof mprof, text: string) =>
  format.read!(makeInput('x', () => [new TextEncoder().encode(text)])) as Recording;

describe('mprof', () => {
  it('a process: MiB, wall time, command', async () => {
    const recording = await open('mprof/0.61.0/plain.dat');
    expect(peak(recording)).toBeGreaterThan(60);
    expect(recording.run).toMatchObject({ argv: ['python', 'grow.py'], subject: 'import' });
    expect(recording.run.startedAt).toMatch(/^2026-11-15T/);
  });

  it('its children are processes of the same sample', async () => {
    const recording = await open('mprof/0.61.0/multiprocess.dat');
    const roles = recording.table('processes').u32('role');
    expect(Array.from(roles, (id) => recording.text(id))).toEqual(['main', 'worker 1']);
    const [first, second] = series(recording, 'tree.rss')!.values;
    const rss = recording.table('process').f64('rss');
    expect([first, second]).toEqual([rss[0], rss[1]! + rss[2]!]);
  });

  it('calls of functions are phases', async () => {
    const recording = await open('mprof/0.61.0/functions.dat');
    const names = recording.table('marks').u32('name');
    expect(Array.from(names, (id) => recording.text(id))).toEqual([
      '__main__.main',
      '__main__.load',
      '__main__.load',
    ]);
  });

  it('a torn last line is dropped, and that is said', async () => {
    const [whole, torn] = await Promise.all(
      ['plain', 'torn'].map((name) => open(`mprof/0.61.0/${name}.dat`)),
    );
    expect(torn!.table('process').rows).toBe(whole!.table('process').rows - 1);
    expect(torn!.run.warnings.join()).toMatch(/has no line end: dropped as cut off/);
  });

  it.each<[string, RegExp]>([
    ['CMDLINE a\nMEM 1.0 1794772945.1\nCMDLINE a\n', /line 3: a second run begins here/],
    ['CMDLINE a\nMEM 1.0 1794772945.1\nMEM 1.0 1794772944.1\n', /line 3: its time is before/],
    ['CMDLINE a\nMEM x 1794772945.1\n', /line 2: 'MEM x/],
    ['CMDLINE a\nCHLD 1 1.0 1794772945.1\n', /line 2: 'CHLD/],
    ['CMDLINE a\n', /no whole MEM line/],
  ])('%j is refused with its line', (text, message) => {
    expect(() => read(mprof, text)).toThrow(message);
  });
});

describe('psrecord', () => {
  it.each(['plain.txt', 'children-io.txt', 'log.csv'])('%s: its MB are MiB', async (name) => {
    const recording = await open(`psrecord/1.4/${name}`);
    expect(recording.table('process').rows).toBeGreaterThan(8);
    if (name.startsWith('children')) expect(peak(recording)).toBeGreaterThan(90);
    expect(recording.run.warnings.join()).toMatch(/counted back from the file's last change/);
  });

  const HEAD = '# Elapsed time   CPU (%)     Real (MB)   Virtual (MB)\n';
  it.each<[string, RegExp]>([
    [`${HEAD} 0.1 1.0 2.0\n`, /line 2: '0\.1 1\.0 2\.0' is no row/],
    [`${HEAD} 0.1 1.0 2.0 3.0\n 0.05 1.0 2.0 3.0\n`, /line 3: its time is before/],
    [`${HEAD} 0.1 1.0 nan 3.0\n`, /line 2: /],
    [HEAD, /no whole row/],
  ])('%j is refused with its line', (text, message) => {
    expect(() => read(psrecord, text)).toThrow(message);
  });
});
