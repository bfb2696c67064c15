import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { torchPython, whereTorch } from '../support/torch.ts';

/** These do not use torch, and are run without it in programs.test.ts or below; a heap with torch in it takes long to walk. */
const ELSEWHERE = [
  'test_agent',
  'test_heap',
  'test_heap_arrays',
  'test_heap_dumps',
  'test_objects',
  'test_sizes',
  'test_sizes_batch',
  'test_whole',
];
const SUITES = readdirSync('python/tests')
  .flatMap((name) => /^(test_\w+)\.py$/.exec(name)?.[1] ?? [])
  .filter((name) => !ELSEWHERE.includes(name));

const runs = (...suites: string[]) =>
  spawnSync(torchPython()!, ['-m', 'unittest', '-v', ...suites], {
    encoding: 'utf8',
    cwd: 'python/tests',
  });

describe('the Python package with torch', () => {
  whereTorch()(
    'passes its own tests, all but those that need a GPU',
    () => {
      const { status, stderr } = runs(...SUITES);
      expect(stderr.split('\n').filter((line) => /(ERROR|FAIL)$/.test(line))).toEqual([]);
      expect(status).toBe(0);
      const skipped = stderr.match(/\.\.\. skipped .*/g) ?? [];
      expect(new Set(skipped)).toEqual(
        new Set(skipped.length ? ["... skipped 'needs a GPU'"] : []),
      );
    },
    600_000,
  );

  whereTorch()('passes its tests with the numpy that came along', () => {
    const { status, stderr } = runs('test_heap_arrays');
    expect(stderr).toMatch(/^OK$/m);
    expect(status).toBe(0);
  });
});
