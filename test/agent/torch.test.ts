import { spawnSync } from 'node:child_process';
import { describe, expect } from 'vitest';
import { torchPython, whereTorch } from '../support/torch.ts';

describe('the Python package with torch', () => {
  whereTorch()(
    'passes its own tests, all but those that need a GPU',
    () => {
      const words = ['-m', 'unittest', 'discover', '-v', '-s', 'python/tests'];
      const { status, stderr } = spawnSync(torchPython()!, words, {
        encoding: 'utf8',
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
