import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { memuseBatch, nBytes } from '../../src/index.ts';
import { SCRATCH } from '../support/recorder.ts';

const script = (text: string) => {
  const path = join(SCRATCH, 'tiny.mjs');
  writeFileSync(path, text);
  return path;
};
const GROWING = `export const sim = [new Float64Array(size * 1e6)];
export function run(time) { sim.push(new Float64Array(time * 1e6)); }
`;
let out = '';
let errors = '';

beforeEach(() => {
  out = '';
  errors = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    out += text;
    return true;
  });
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    errors += text;
    return true;
  });
});
afterEach(() => vi.restoreAllMocks());

describe('memuseBatch', () => {
  it('prints a labelled line for each time', async () => {
    const params = { size: 2, dims: ['or', 'od'] };
    expect(await memuseBatch(script(GROWING), { times: [0, 1], params })).toBe(true);
    const lines = out.split('\n').filter((line) => line.startsWith('tiny'));
    const head = 'tiny,size=2,dims=or_od: t00000';
    expect(lines[0]).toMatch(`${head}0.00: topsize:`);
    expect(lines[0]).toMatch(/wtsize:15MB/);
    expect(lines[1]).toMatch(`${head}1.00: topsize:`);
    expect(lines[1]).toMatch(/wtsize:22MB/);
    expect(errors).toBe('Warning -- Parameter dims is not used by the script.\n');
    expect('size' in globalThis).toBe(false);
  });

  it('runs a script anew with other parameters, and calls an analysis', async () => {
    const seen: [string, number][] = [];
    const analysisFn = (prefix: string, root: unknown) => seen.push([prefix, nBytes(root)]);
    for (const size of [1, 2]) await memuseBatch(script(GROWING), { params: { size }, analysisFn });
    expect(seen).toEqual([
      ['tiny,size=1: t000000.00: ', 8e6],
      ['tiny,size=2: t000000.00: ', 16e6],
    ]);
  });

  it.each([
    ['missing.mjs', {}, "no script 'missing.mjs'"],
    [null, { times: [0, 5] }, 'time 5 needs run(t)'],
    [null, { times: [-1] }, 'times must be numbers of 0 or more'],
    [null, { times: [2, 1], run: () => {} }, 'times must not go backward'],
  ])('reports a failure and goes on: %s %j', async (path, options, message) => {
    const analysisFn = () => {};
    const file = path ?? script('export const sim = [];');
    expect(await memuseBatch(file, { ...options, analysisFn })).toBe(false);
    expect(out).toContain(message);
    expect(errors).toBe('Warning -- Error detected: execution halted.\n');
  });
});
