import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { torchPython, whereTorch } from '../support/torch.ts';

/** These do not use torch, and are run without it in programs.test.ts; a heap with torch in it takes long to walk. */
const ELSEWHERE = [
  'test_agent',
  'test_heap',
  'test_heap_dumps',
  'test_objects',
  'test_sizes',
  'test_sizes_batch',
];
const SUITES = readdirSync('python/tests')
  .flatMap((name) => /^(test_\w+)\.py$/.exec(name)?.[1] ?? [])
  .filter((name) => !ELSEWHERE.includes(name));

describe('the Python package with torch', () => {
  whereTorch()(
    'passes its own tests, all but those that need a GPU',
    () => {
      const words = ['-m', 'unittest', '-v', ...SUITES, 'test_heap.Arrays'];
      const { status, stderr } = spawnSync(torchPython()!, words, {
        encoding: 'utf8',
        cwd: 'python/tests',
        // Small models: threads would only wait for each other.
        env: { ...process.env, OMP_NUM_THREADS: '1' },
      });
      expect(stderr.split('\n').filter((line) => /(ERROR|FAIL)$/.test(line))).toEqual([]);
      expect(status).toBe(0);
      const skipped = stderr.match(/\.\.\. skipped .*/g) ?? [];
      expect(new Set(skipped)).toEqual(
        new Set(skipped.length ? ["... skipped 'needs a GPU'"] : []),
      );
    },
    600_000,
  );
});
