import { execFileSync, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { parseAsk } from '../../src/cli/commands/heap/expression.ts';
import type { RunInfo } from '../../src/model/run.ts';
import { place, SCRATCH, start } from '../support/recorder.ts';

/** Three heaps of a program whose cache grows. */
const PROGRAM = `
  const v8 = require('v8');
  class Entry { constructor(i) { this.list = new Array(20).fill(i); } }
  globalThis.cache = new Map();
  for (let heap = 1; heap <= 3; heap++) {
    for (let i = 0; i < 300; i++) cache.set(cache.size, new Entry(i));
    v8.writeHeapSnapshot(process.argv[1] + '/' + heap + '.heapsnapshot');
  }
`;
const file = (name: string) => join(SCRATCH, name);
const heap = async (...words: string[]) => {
  const { code, stdout, stderr } = await start(['heap', ...words]).finished;
  return { code, stdout: String(stdout), stderr };
};

beforeAll(() => {
  execFileSync(process.execPath, ['-e', PROGRAM, SCRATCH]);
}, 60_000);

describe('highwater heap', () => {
  it('prints the partition, and as JSON the same figures', async () => {
    const { code, stdout } = await heap(file('1.heapsnapshot'));
    expect(code).toBe(0);
    const [, count, size] =
      /^Partition of a set of (\d+) objects\. Total size = (\d+) bytes\.\n Index {2}Count {3}% {5}Size {3}% Cumulative {2}% Kind/.exec(
        stdout,
      )!;
    const json = JSON.parse((await heap(file('1.heapsnapshot'), '--json', '--retained')).stdout);
    expect(json).toMatchObject({
      schemaVersion: 1,
      type: 'heap-partition',
      runtime: 'v8',
      count: Number(count),
      size: Number(size),
    });
    expect(json.rows).toHaveLength(10);
    expect(
      json.rows.every((row: { retained: number; size: number }) => row.retained >= row.size),
    ).toBe(true);
  }, 30_000);

  it('answers what is asked, one after the other', async () => {
    const rows = JSON.parse((await heap(file('3.heapsnapshot'), '--all', '--json')).stdout)
      .rows as { kind: string; index: number }[];
    const entry = rows.find(({ kind }) => kind === 'Entry')!.index;
    const { stdout } = await heap(
      file('3.heapsnapshot'),
      '--ask',
      `${entry}`,
      '--ask',
      '0.paths',
      '--ask',
      'referents',
      '--ask',
      'back',
      '--ask',
      'by rcs',
      '--ask',
      'holders',
    );
    expect(stdout).toMatch(/^Partition of a set of 900 objects\./);
    expect(stdout).toMatch(/\n 0: h\.Root\.global\.cache\.<table>\[?/);
    expect(stdout).toContain('more paths ...>');
    expect(stdout).toContain('Referrers by Kind (class / dict of class)');
    expect(stdout).toContain(' Index  Retained   %     Size Object');
    const light = await heap(file('3.heapsnapshot'), '--light', '--ask', 'holders');
    expect([light.code, light.stderr]).toEqual([2, expect.stringMatching(/opened light.*--light/)]);
    const wrong = await heap(file('3.heapsnapshot'), '--ask', '0.nonsense');
    expect([wrong.code, wrong.stderr]).toEqual([
      2,
      "highwater: 'nonsense' cannot be asked of a heap (help lists what can be asked)\n",
    ]);
    const row = await heap(file('3.heapsnapshot'), '--ask', '100000');
    expect(row.stderr).toMatch(/there is no row 100000 \(rows go from 0 to \d+\)/);
    const end = await heap(file('3.heapsnapshot'), '--ask', `${entry}`, '--ask', 'more');
    expect(end.stdout).toMatch(/^Partition of a set of 900 [\s\S]* Entry\nThere is no more\.\n$/);
    const out = await heap(file('3.heapsnapshot'), '--out', file('x.heapsnapshot'));
    expect([out.code, out.stderr]).toEqual([2, expect.stringMatching(/and there is no --pid/)]);
    const sleeper = spawn('sleep', ['60']);
    const other = await heap('--pid', `${sleeper.pid}`, '--out', file('x.heapsnapshot'));
    expect([other.code, other.stderr]).toEqual([
      2,
      `highwater: process ${sleeper.pid} runs sleep, neither Node nor Python (nothing was sent to it)\n`,
    ]);
    expect(sleeper.kill()).toBe(true);
  }, 30_000);

  it('holds two against each other, subtracts them, and names candidates of three', async () => {
    const files = [1, 2, 3].map((number) => file(`${number}.heapsnapshot`));
    const difference = JSON.parse((await heap(files[0]!, files[2]!, '--json')).stdout);
    expect(difference.rows).toContainEqual(expect.objectContaining({ kind: 'Entry', count: 600 }));
    expect(difference.containers[0]).toMatchObject({ place: 'globalThis.cache' });
    expect((await heap(files[0]!, files[2]!)).stdout).toMatch(
      /\+\S+ KiB {2}globalThis\.cache\n {6}300 → 900 entries; /,
    );
    const minus = await heap(
      files[0]!,
      files[2]!,
      '--ask',
      '- #1',
      '--ask',
      `dump ${file('new.stat')}`,
    );
    expect(minus.stdout).toContain('rows written to');
    expect(readFileSync(file('new.stat'), 'utf8')).toMatch(/\n\.r: 600 \d+ Entry\n/);
    expect((await heap(file('new.stat'))).stdout).toMatch(/^Partition of a set of \d+ objects/);
    const { stdout } = await heap(...files);
    expect(stdout).toMatch(
      /globalThis\.cache\n {6}300 → 600 → 900 entries;.*; Map;[\s\S]*new: 600 Entry[\s\S]*Candidates: grew from each heap[\s\S]*Entry: 300 → 600 → 900 objects[\s\S]*600 new, most at globalThis\.cache/,
    );
  }, 60_000);

  it('reads gzip files, and says what is no heap', async () => {
    const packed = file('packed.heapsnapshot.gz');
    writeFileSync(packed, gzipSync(readFileSync(file('1.heapsnapshot'))));
    expect((await heap(packed)).stdout).toBe((await heap(file('1.heapsnapshot'))).stdout);
    writeFileSync(file('no.txt'), 'hello');
    const no = await heap(file('no.txt'));
    expect([no.code, no.stderr]).toEqual([
      2,
      expect.stringMatching(/^highwater: .*no\.txt is no heap that Highwater knows \(it reads: /),
    ]);
    expect((await heap(file('absent'))).stderr).toMatch(/there is no file or folder/);
    expect((await heap()).stderr).toMatch(/name a heap, or a program with --pid/);
  }, 30_000);

  it('takes heaps over a recording, which it opens', async () => {
    const [program, folder] = [file('grow.cjs'), place()];
    // It ends by itself once it was looked at twice, however long that takes.
    const second = join(folder, 'heap', '1', 'v8.heapsnapshot');
    writeFileSync(
      program,
      `class Row { x = [1]; }
      globalThis.rows = [];
      setInterval(() => {
        for (let i = 0; i < 50; i++) rows.push(new Row());
        if (require('fs').existsSync(${JSON.stringify(second)})) process.exit();
      }, 20);`,
    );
    const words = ['--heap', '3', '--before', '0', '--after', '0', '-q', '-o', folder];
    await start(['record', ...words, '--', process.execPath, program]).finished;
    const run = JSON.parse(readFileSync(join(folder, 'run.json'), 'utf8')) as RunInfo;
    expect(run.heaps!.length, run.warnings.join()).toBeGreaterThanOrEqual(2);
    expect(run.heaps![0]).toMatchObject({ file: 'heap/0/v8.heapsnapshot', runtime: 'v8' });
    const json = JSON.parse((await heap(folder, '--json')).stdout);
    expect(json.rows).toContainEqual(expect.objectContaining({ kind: 'Row' }));
  }, 60_000);
});

describe('heap() in a program', () => {
  it('tells objects apart, relative to an earlier moment', () => {
    const program = `
      import { heap, setRelativeHeap } from ${JSON.stringify(resolve('dist/index.js'))};
      class Fresh { data = [1, 2, 3]; }
      await setRelativeHeap();
      globalThis.kept = Array.from({ length: 250 }, () => new Fresh());
      const now = await heap();
      const rows = now.table({ limit: 100 }).rows;
      const at = rows.find(({ kind }) => kind === 'Fresh').index;
      console.log(JSON.stringify({ ...rows[at], path: now.row(at).paths().paths[0].text, retained: now.row(at).retained, text: String(now.row(at)) }));
    `;
    const out = execFileSync(process.execPath, ['--input-type=module', '-e', program], {
      encoding: 'utf8',
    });
    const found = JSON.parse(out);
    expect(found).toMatchObject({ count: 250, path: 'h.Root.global.kept[0]' });
    expect(found.retained).toBeGreaterThan(found.size);
    expect(found.text).toMatch(/^Partition of a set of 250 objects\. /);
  }, 30_000);
});

describe('an ask', () => {
  it('may be written as in the guide', () => {
    expect(parseAsk('heap[0].shpaths')).toEqual(parseAsk('0.paths'));
    expect(parseAsk('[0:3].byrcs')).toEqual([
      { do: 'rows', from: 0, to: 3, slice: true },
      { do: 'by', way: 'rcs' },
    ]);
    expect(parseAsk('by module')).toEqual([{ do: 'by', way: 'module' }]);
    expect(parseAsk('- old.heapsnapshot')).toEqual([{ do: 'minus', other: 'old.heapsnapshot' }]);
    expect(parseAsk('0.stat.dump("a.stat")')).toEqual([
      { do: 'rows', from: 0, to: 1, slice: false },
      { do: 'dump', file: 'a.stat' },
    ]);
    expect(() => parseAsk('by colour')).toThrow(/told apart by 'colour'/);
    expect(() => parseAsk('???')).toThrow(/cannot be understood/);
  });
});
