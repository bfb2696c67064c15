import { describe, expect } from 'vitest';
import { MiB } from '../../src/base/bytes.ts';
import { needs } from '../support/programs.ts';
import { leakOf, SHORT, workload } from './verdict.ts';

/** HIGHWATER_PLANTED=10 plants each leak ten times; a test of every change has to be shorter. */
const RUNS = Array.from({ length: Number(process.env.HIGHWATER_PLANTED ?? 1) }, (_, i) => i + 1);

describe.concurrent('what grows while it runs', () => {
  for (const run of RUNS) {
    needs('python3')(`1 MiB kept each iteration is a leak of that size (run ${run})`, async () => {
      const { verdict, trend, culprit } = await leakOf(['python3', workload('keeps.py')], SHORT);
      expect(verdict, JSON.stringify(trend)).toBe('leak');
      expect(culprit).toMatchObject({ series: 'main.held', measure: 'tree-held' });
      expect(trend!.over).toBe('iterations');
      expect(trend!.slope.bytes / MiB).toBeGreaterThan(0.95);
      expect(trend!.slope.bytes / MiB).toBeLessThan(1.05);
    });

    needs('python3')(`its twin that lets go is no leak (run ${run})`, async () => {
      const { verdict } = await leakOf(['python3', workload('keeps.py'), '--fine'], SHORT);
      expect(verdict).not.toBe('leak');
    });
  }
});
