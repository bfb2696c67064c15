import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { afterEach, describe, expect } from 'vitest';
import { KiB, MiB } from '../../src/base/bytes.ts';
import { needs } from '../support/programs.ts';
import { highwater, place } from '../support/recorder.ts';
import { torchPython, whereTorch } from '../support/torch.ts';
import { figure, leakOf, record, verdictOf, workload } from './verdict.ts';

/**
 * The whole machine's memory is looked at here, before and after: nothing else may run beside these
 * (vitest.config.ts runs them alone). HIGHWATER_PLANTED=10 plants each leak ten times.
 */
const RUNS = Array.from({ length: Number(process.env.HIGHWATER_PLANTED ?? 1) }, (_, i) => i + 1);
const TRAINED = Array.from({ length: Number(process.env.HIGHWATER_KINDS ?? 1) }, (_, i) => i + 1);
const FILES = `highwater-left-${process.pid}`;
const FILE = `/dev/shm/${FILES}`;

const left = () => readdirSync('/dev/shm').filter((name) => name.startsWith(FILES));
afterEach(() => {
  for (const name of left()) rmSync(`/dev/shm/${name}`);
});

describe('files in /dev/shm', () => {
  for (const run of RUNS) {
    needs('sh')(`of 64 MiB are found, within 2 MiB (run ${run})`, async () => {
      const write = `head -c 67108864 /dev/zero > ${FILE}; sleep 0.5`;
      const { verdict, shelf, culprit } = await leakOf(['sh', '-c', write]);
      expect(verdict).toBe('leak');
      expect(culprit).toMatchObject({ kind: 'shared-memory', process: null, where: null });
      expect(culprit!.name).toMatch(/^\/dev\/shm\/highwater-/);
      expect(Math.abs(shelf!.leakedBytes! - 64 * MiB)).toBeLessThan(2 * MiB);
      expect(shelf!.uncertaintyBytes!).toBeLessThanOrEqual(2 * MiB);
    });

    needs('sh')(`that are removed again are no leak (run ${run})`, async () => {
      const write = `head -c 67108864 /dev/zero > ${FILE}; sleep 0.5; rm ${FILE}`;
      expect((await leakOf(['sh', '-c', write])).verdict).not.toBe('leak');
    });
  }
});

describe('a daemon that stays', () => {
  for (const run of RUNS) {
    needs('gcc')(`is found with its 64 MiB, within 2 MiB (run ${run})`, async () => {
      const [daemon, told] = [place('stays'), place('told')];
      const made = spawnSync('gcc', ['-O1', '-o', daemon, workload('stays.c')]);
      expect(made.status, String(made.stderr)).toBe(0);
      const folder = await record([daemon, '64', told]);
      const { verdict, shelf, culprit, advice } = verdictOf(folder);
      expect(verdict).toBe('leak');
      // Which process, and by what command.
      expect(culprit).toMatchObject({ kind: 'surviving-process', where: null });
      expect(culprit!.process).toMatch(/^\S.* \(pid \d+\)$/);
      expect(culprit!.name).toBe(`${daemon} 64 ${told}`);
      const [, pid] = /pid (\d+)/.exec(culprit!.process!)!;
      expect(advice[0]).toContain(`kill ${pid}`);
      expect(String((await highwater(['report', folder])).stdout)).toContain(
        `(pid ${pid}), which lives on`,
      );
      // What the kernel says that the daemon alone holds.
      const [, held] = /^Pss_Anon:\s+(\d+) kB/m.exec(readFileSync(told, 'utf8'))!;
      const truth = Number(held) * KiB;
      expect(truth / MiB).toBeCloseTo(64, 0);
      expect(Math.abs(shelf!.leakedBytes! - truth)).toBeLessThan(2 * MiB);
      expect(shelf!.uncertaintyBytes!).toBeLessThanOrEqual(2 * MiB);
    });
  }
});

describe('tensors in /dev/shm', () => {
  const trained = (...words: string[]) => [torchPython()!, workload('causes.py'), 'shm', ...words];
  const planted = (name: string, body: () => Promise<void>) => {
    for (const run of TRAINED) whereTorch()(`${name} (run ${run})`, body, 120_000);
  };

  planted('that stay there are shared memory', async () => {
    const leak = await leakOf(trained(FILE));
    const size = left().reduce((sum, name) => sum + statSync(`/dev/shm/${name}`).size, 0);
    expect(leak).toMatchObject({ verdict: 'leak', kind: 'shared-memory' });
    const shmem = figure(leak, 'Shmem') ?? figure(leak, 'shm.used')!;
    if (shmem.per === 'run') expect(Math.abs(shmem.amount - size)).toBeLessThan(4 * MiB);
    const files = figure(leak, '/dev/shm/highwater-*')!;
    expect(files.count).toBe(left().length);
    expect(files.amount).toBe(size);
    expect(leak.advice.join('\n')).toMatch(/unlink\(\)/);
  });

  planted('that are removed are no leak', async () => {
    expect(await leakOf(trained('--fine', FILE))).toMatchObject({ kind: null, advice: [] });
  });
});
