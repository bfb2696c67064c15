import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import type { Job } from '../../src/analyses/job/index.ts';
import type { Report } from '../../src/analyses/report.ts';
import { needs, python } from '../support/programs.ts';
import { CLI, cleanEnv, highwater, place } from '../support/recorder.ts';
import { torchPython, whereTorch } from '../support/torch.ts';

const MIB = 1024 ** 2;
const RECORD = ['record', '-q', '--before', '0.2', '--after', '0'];

async function answer<T>(...words: string[]): Promise<T> {
  const { code, stdout, stderr } = await highwater([...words, '--json']);
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(String(stdout)) as T;
}

function script(text: string): string {
  const file = place('train.py');
  writeFileSync(file, text);
  return file;
}

describe('mpirun with a recorder for each rank', () => {
  needs('python3', 'mpirun')(
    'ends in the answer that report gives of the same folder',
    async () => {
      const folder = place('job');
      const file = script(`
import os, time
rank = int(os.environ["OMPI_COMM_WORLD_RANK"])
held = bytearray(b"x") * ((150 if rank == 2 else 10) << 20)
for i in range(25):
    print("iteration", i, flush=True)
    time.sleep(0.05)
`);
      const record = [
        process.execPath,
        CLI,
        ...RECORD,
        '--agent',
        'off',
        '-o',
        folder,
        '--',
        python(),
        file,
      ];
      const run = spawnSync(
        'mpirun',
        ['--allow-run-as-root', '--oversubscribe', '-n', '3', ...record],
        { env: cleanEnv() },
      );
      expect(run.status).toBe(0);
      const job = await answer<Job>('job', folder);
      const report = await answer<Report>('report', folder);
      expect(job.recordings).toMatchObject({ read: 3, made: 0 });
      expect(job.ranks).toMatchObject({
        count: 3,
        worldSize: 3,
        missing: { count: 0 },
        endings: { well: 3 },
      });
      expect(job.top.map(({ rank, memoryBytes }) => [rank, memoryBytes]).sort()).toEqual(
        report.ranks.ranks.map(({ rank, peakBytes }) => [rank, peakBytes]),
      );
      expect(job.peaks[0]).toMatchObject({
        of: report.ranks.measure,
        medianBytes: report.ranks.medianBytes,
      });
      const { rank, bytes, medianBytes } = report.ranks.outlier!;
      expect(job.outliers).toMatchObject([{ rank, bytes, medianBytes, deviations: null }]);
      expect(job.outliers[0]!.bytes - job.outliers[0]!.medianBytes).toBeGreaterThan(100 * MIB);
      expect(job.pace).toMatchObject({ ranks: 3 });
    },
    90_000,
  );

  needs('python3', 'mpirun')(
    'names the rank that fails, and those whose recorder went with it',
    async () => {
      const folder = place('job');
      const file = script(`
import os, time
rank = int(os.environ["OMPI_COMM_WORLD_RANK"])
here = "%s.%d" % (__file__, rank)
open(here, "w").close()
while not all(os.path.exists("%s.%d" % (__file__, one)) for one in range(3)):
    time.sleep(0.01)
time.sleep(0.3)
if rank == 1:
    os._exit(3)
time.sleep(60)
`);
      const record = [process.execPath, CLI, ...RECORD, '-o', folder, '--', python(), file];
      const run = spawnSync(
        'mpirun',
        ['--allow-run-as-root', '--oversubscribe', '-n', '3', ...record],
        { env: cleanEnv() },
      );
      expect(run.status).toBe(3);
      const job = await answer<Job>('job', folder);
      expect(job.ranks.count).toBe(3);
      expect(job.firstDeath).toMatchObject({ rank: 1, how: 'failed', code: 3 });
      expect(job.verdict.cause.code).toBe('failed');
    },
    90_000,
  );
});

describe('torchrun', () => {
  whereTorch()(
    'in one recording has a rank that is killed, and one that holds more',
    async () => {
      const out = place('node.hw');
      const file = script(`
import os, signal, time, torch
import torch.distributed as dist
torch.set_num_threads(1)
dist.init_process_group("gloo")
rank = dist.get_rank()
held = torch.ones((500 if rank == 2 else 4) << 18)
for i in range(6):
    dist.all_reduce(torch.ones(4))
    time.sleep(0.1)
if rank == 1:
    os.kill(os.getpid(), signal.SIGKILL)
time.sleep(20)
`);
      const torchrun = [
        '-m',
        'torch.distributed.run',
        '--nproc-per-node',
        '3',
        '--master-port',
        '0',
        '--rdzv-backend',
        'c10d',
        '--rdzv-endpoint',
        'localhost:0',
        '--rdzv-id',
        'abc',
      ];
      const { code } = await highwater([
        ...RECORD,
        '-o',
        out,
        '--',
        torchPython()!,
        ...torchrun,
        file,
      ]);
      expect(code).not.toBe(0);
      const [line] = readFileSync(join(out, 'summary.jsonl'), 'utf8').split('\n');
      expect(JSON.parse(line!).ranks).toHaveLength(3);
      expect(readdirSync(out)).toContain('run.json');
      const job = await answer<Job>('job', out);
      expect(job.job).toMatchObject({ id: 'abc' });
      expect(job.ranks).toMatchObject({ count: 3, worldSize: 3, missing: { count: 0 } });
      // The recorder of a node sees a process go, not how.
      expect(job.firstDeath).toMatchObject({ rank: 1, how: 'gone', code: null });
      expect(job.outliers[0]).toMatchObject({ rank: 2, measure: 'memory' });
    },
    120_000,
  );
});
