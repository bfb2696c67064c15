import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { codeLines } from '../../scripts/coverage/code-lines.ts';
import { Hits, readCoverage } from '../../scripts/coverage/hits.ts';
import { ranges, table } from '../../scripts/coverage/table.ts';
import { place } from '../support/recorder.ts';

const FILE = 'src/base/bytes.ts';
const written = readFileSync(FILE, 'utf8').split('\n');
/** From zero. */
const line = (start: string) => written.findIndex((text) => text.trim().startsWith(start));

describe('lines that ran', () => {
  it('are found through a bundle, and no others', () => {
    const [program, raw] = [place('program.mjs'), place('raw')];
    mkdirSync(raw);
    buildSync({
      stdin: {
        contents: `import { formatBytes, parseSize } from './${FILE}'; formatBytes(1); globalThis.kept = parseSize;`,
        resolveDir: '.',
      },
      bundle: true,
      format: 'esm',
      sourcemap: 'linked',
      outfile: program,
    });
    const env = { ...process.env, NODE_V8_COVERAGE: raw };
    expect(spawnSync(process.execPath, [program], { env }).status).toBe(0);
    const hits = new Hits();
    for (const name of readdirSync(raw)) hits.add(readCoverage(join(raw, name))!);
    const ran = hits.lines.get(FILE)!;
    expect([...hits.lines.keys()].sort()).toEqual([FILE, 'src/base/errors.ts']);
    const told = (start: string) => [codeLines(FILE).has(line(start)), ran.has(line(start))];
    expect(told('export function formatBytes')).toEqual([true, true]);
    expect(told('if (size < KiB) return')).toEqual([true, true]);
    // After the return, and in a function that nobody called.
    expect(told('const [unit, name] =')).toEqual([true, false]);
    expect(told('export function parseSize')).toEqual([true, false]);
    expect(told('const match =')).toEqual([true, false]);
    expect(told('import { UserError }')[0]).toBe(false);
  });

  it('can only be lines that are left when types, imports and closing brackets are gone', () => {
    const path = 'src/model/origin.ts';
    const text = readFileSync(path, 'utf8').split('\n');
    const lines = [...codeLines(path)].map((one) => text[one]!);
    expect(lines.length).toBeGreaterThan(3);
    expect(
      lines.filter((one) => /^(import|\s*[})\]]*;?$|\s*\/?\*|export (interface|type))/.test(one)),
    ).toEqual([]);
  });

  it('of a process that was killed as it wrote are left out', () => {
    expect(readCoverage(place('absent.json'))).toBeNull();
  });

  it('are told by folder, and where most are missed', () => {
    const file = (path: string, lines: number, missed: number[]) => ({
      path,
      lines,
      ran: lines - missed.length,
      missed,
    });
    const text = table([
      file('src/a/x.ts', 10, [4, 5, 6, 9]),
      file('src/a/y.ts', 10, []),
      file('src/b/z.ts', 20, [1]),
    ]);
    expect(text).toMatch(/^ {2}80\.0 % +20 {2}src\/a$/m);
    expect(text).toMatch(/^ {2}87\.5 % +40 {2}all of src$/m);
    expect(text.split('\n').findIndex((row) => row.endsWith('src/a/x.ts'))).toBeGreaterThan(0);
    expect(ranges([4, 5, 6, 9])).toBe('4-6, 9');
  });
});
