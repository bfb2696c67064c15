import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Comparison } from '../../src/analyses/compare/index.ts';
import type { Report } from '../../src/analyses/report.ts';
import { launchOf } from '../../src/sources/process-tree/launch.ts';
import { needs, python } from '../support/programs.ts';
import { CLI, cleanEnv, highwater, place, readRun } from '../support/recorder.ts';
import { torchPython, whereTorch } from '../support/torch.ts';

const FAKE = resolve('test/fixtures/agent/torch');
const MIB = 1024 ** 2;
const MPIRUN = ['mpirun', '--allow-run-as-root', '--oversubscribe', '-n'];
const RECORD = ['record', '-q', '--before', '0.2', '--after', '0'];

/** Rank 2 holds 120 MiB more; whoever launched it. */
const SCRIPT = `
import os, time, torch
from torch.optim.optimizer import Optimizer
names = "RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID"
rank = int(next(os.environ[name] for name in names if name in os.environ))
optimizer = Optimizer()
heavy = bytearray(b"x") * ((120 if rank == 2 else 1) << 20)
# Ranks that start one after the other on a busy machine are there at once all the same.
open("%s.%d" % (__file__, rank), "w").close()
ranks = range(int(os.environ.get("OMPI_COMM_WORLD_SIZE", "0")))
while not all(os.path.exists("%s.%d" % (__file__, one)) for one in ranks):
    time.sleep(0.01)
for _ in range(4):
    time.sleep(0.1)
    torch.autograd.backward(())
    optimizer.step()
`;

function script(text = SCRIPT): string {
  const file = place('train.py');
  writeFileSync(file, text);
  return file;
}

function run([program, ...words]: readonly string[]) {
  return spawnSync(program!, words, { encoding: 'utf8', env: cleanEnv({ PYTHONPATH: FAKE }) });
}

async function reportOf(path: string): Promise<Report> {
  const { code, stdout, stderr } = await highwater(['report', path, '--json']);
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(String(stdout)) as Report;
}

const ranksIn = (report: Report) => report.ranks.ranks.map(({ rank }) => rank);

describe('mpirun', () => {
  needs('python3', 'mpirun')(
    'in one recording gives eight labelled ranks and the heavier one',
    async () => {
      const out = place();
      const command = [...RECORD, '-o', out, '--', ...MPIRUN, '8', python(), script()];
      const { code, stderr } = await highwater(command, { env: { PYTHONPATH: FAKE } });
      expect([code, stderr]).toEqual([0, '']);
      const report = await reportOf(out);
      expect(ranksIn(report)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
      expect(report.ranks.outlier).toMatchObject({ rank: 2 });
    },
    60_000,
  );

  needs('python3', 'mpirun')(
    'of a recorder for each rank leaves a folder that is opened as one job',
    async () => {
      const job = place('job');
      const file = script();
      const record = [process.execPath, CLI, ...RECORD, '-o', job, '--', python(), file];
      const { status, stderr } = run([...MPIRUN, '3', ...record]);
      expect([status, stderr]).toEqual([0, '']);
      const names = readdirSync(job).sort();
      expect(names.map((name) => name.slice(0, 5))).toEqual(['0000-', '0001-', '0002-']);
      expect(readRun(join(job, names[2]!)).labels).toMatchObject({
        launcher: 'Open MPI',
        rank: '2',
        worldSize: '3',
      });
      const report = await reportOf(job);
      expect(ranksIn(report)).toEqual([0, 1, 2]);
      expect(report.ranks.outlier).toMatchObject({ rank: 2 });
      expect(report.ranks.outlier!.more[0]).toMatchObject({
        what: 'memory that malloc handed out',
      });
      // All at once, not the largest of them alone.
      const alone = Math.max(...report.ranks.ranks.map(({ peakBytes }) => peakBytes!));
      expect(report.headline!.bytes).toBeGreaterThan(alone);
      expect(report.processes.processes.map(({ role }) => role)).toEqual(
        expect.arrayContaining(['rank 0', 'rank 1', 'rank 2']),
      );
      const compared = await highwater(['compare', job, '--json']);
      const { runs, ranks } = JSON.parse(String(compared.stdout)) as Comparison;
      expect(runs.map(({ name }) => name)).toEqual(['rank 0', 'rank 1', 'rank 2']);
      expect(ranks?.outlier?.rank).toBe(2);
      for (const verb of [
        ['export', job, '--to', 'csv', '--table', 'marks'],
        ['plot', job, '-o', place('job.svg')],
        ['import', job, '-o', place('imported.hw')],
        ['compare', job, join(job, names[0]!)],
      ]) {
        expect([verb[0], (await highwater(verb)).code]).toEqual([verb[0], 0]);
      }
    },
    60_000,
  );

  whereTorch()(
    'names the tensor that makes a rank heavier',
    async () => {
      const out = place();
      const file = script(`
import os, time, torch
torch.set_num_threads(1)
model = torch.nn.Linear(64, 64)
sgd = torch.optim.SGD(model.parameters(), lr=0.1)
cache = [torch.ones(30, 1 << 20)] if os.environ["OMPI_COMM_WORLD_RANK"] == "1" else []
for _ in range(6):
    time.sleep(0.1)
    model(torch.randn(8, 64)).sum().backward()
    sgd.step()
`);
      const command = [...RECORD, '-o', out, '--', ...MPIRUN, '3', torchPython()!, file];
      const { code } = await highwater(command);
      expect(code).toBe(0);
      const { outlier } = (await reportOf(out)).ranks;
      expect(outlier?.rank).toBe(1);
      const tensor = outlier!.more.find(({ what }) => what.includes('[30, 1048576] float32'));
      expect(tensor).toMatchObject({ bytes: 120 * MIB, medianBytes: 0 });
      expect(tensor!.what).toMatch(/held by list of 1 in cache of __main__ at \S+\.py:\d+$/);
    },
    120_000,
  );
});

describe('plain multiprocessing', () => {
  whereTorch()(
    'has the ranks that the program told torch',
    async () => {
      const out = place();
      const file = script(`
import sys, time, torch
import torch.distributed as dist
import torch.multiprocessing as mp
def work(rank, where):
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method="file://" + where, rank=rank, world_size=2)
    model = torch.nn.Linear(8, 8)
    sgd = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(4):
        time.sleep(0.05)
        model(torch.randn(2, 8)).sum().backward()
        sgd.step()
    dist.barrier()
    dist.destroy_process_group()
if __name__ == "__main__":
    mp.spawn(work, (sys.argv[1],), nprocs=2)
`);
      const words = [torchPython()!, file, place('meet')];
      const { code, stderr } = await highwater([...RECORD, '-o', out, '--', ...words]);
      expect([code, stderr.replace(/^\[Gloo\].*\n/gm, '')]).toEqual([0, '']);
      expect(ranksIn(await reportOf(out))).toEqual([0, 1]);
    },
    120_000,
  );
});

/** Sets what Slurm sets in each task, and waits for all. */
const TASKS = `#!/bin/sh
n=$1; shift
export SLURM_JOB_ID=77 SLURM_STEP_ID=3 SLURM_NTASKS=$n
for task in $(seq 0 $((n - 1))); do SLURM_PROCID=$task "$@" & done
wait
`;

describe('srun, played by a script that sets its variables', () => {
  const tasks = () => {
    const file = place('tasks.sh');
    writeFileSync(file, TASKS);
    chmodSync(file, 0o755);
    return file;
  };

  needs('python3')(
    'labels ranks in one recording',
    async () => {
      const out = place();
      const command = [...RECORD, '-o', out, '--', tasks(), '3', python(), script()];
      expect((await highwater(command, { env: { PYTHONPATH: FAKE } })).code).toBe(0);
      expect(ranksIn(await reportOf(out))).toEqual([0, 1, 2]);
      expect(readRun(out).labels).toMatchObject({ worldSize: '3', job: '77.3' });
    },
    60_000,
  );

  needs('python3')(
    'of a recorder for each node, each with two ranks of torchrun, gives four ranks',
    async () => {
      const job = place('nodes');
      const node = place('node.sh');
      // What torchrun sets; SLURM_PROCID stays the node's number.
      writeFileSync(
        node,
        `first=$((SLURM_PROCID * 2)); export WORLD_SIZE=4\nRANK=$first ${python()} ${script()} &\n` +
          `RANK=$((first + 1)) ${python()} ${script()} & wait\n`,
      );
      const record = [process.execPath, CLI, ...RECORD, '-o', job, '--', '/bin/sh', node];
      const { status } = run([tasks(), '2', ...record]);
      expect(status).toBe(0);
      expect(readdirSync(job)).toHaveLength(2);
      const report = await reportOf(job);
      expect(ranksIn(report)).toEqual([0, 1, 2, 3]);
      expect(report.ranks.outlier?.rank).toBe(2);
      expect(report.warnings.filter((text) => /ranks are here/.test(text))).toEqual([]);
    },
    60_000,
  );
});

describe('what a launcher told', () => {
  const TORCH = { RANK: '5', WORLD_SIZE: '8', MASTER_ADDR: 'a', MASTER_PORT: '29500' };
  const SLURM = { SLURM_PROCID: '1', SLURM_NTASKS: '2', SLURM_JOB_ID: '9' };
  const MPI = { OMPI_COMM_WORLD_RANK: '1', OMPI_COMM_WORLD_SIZE: '2', PMIX_NAMESPACE: '31' };
  const CASES: [Record<string, string>, object | null][] = [
    [{}, null],
    [TORCH, { launcher: 'torchrun', rank: 5, size: 8, job: 'a:29500', restart: null }],
    [{ ...TORCH, TORCHELASTIC_RUN_ID: 'none' }, { job: 'a:29500' }],
    [
      { ...TORCH, ...SLURM, TORCHELASTIC_RUN_ID: 'x', TORCHELASTIC_RESTART_COUNT: '2' },
      { job: 'x', restart: 2, rank: 5 },
    ],
    [MPI, { launcher: 'Open MPI', rank: 1, job: '31' }],
    [
      { ...SLURM, SLURM_STEP_ID: '4' },
      { launcher: 'Slurm', rank: 1, size: 2, job: '9.4' },
    ],
    // A batch script is no task, and a job of one has no ranks to tell apart.
    [SLURM, null],
    [{ ...SLURM, SLURM_STEP_ID: '4', SLURM_NTASKS: '1', SLURM_PROCID: '0' }, null],
    [{ RANK: '0', WORLD_SIZE: '1' }, null],
    [{ RANK: 'x', WORLD_SIZE: '4' }, null],
  ];

  it.each(CASES)('%j is %j', (env, expected) => {
    if (expected === null) expect(launchOf(env)).toBeNull();
    else expect(launchOf(env)).toMatchObject(expected);
  });

  needs('python3')('fills in -o where the user wrote {rank}', async () => {
    const folder = place('named');
    mkdirSync(folder);
    const out = join(folder, 'r{rank}.hw');
    const env = { RANK: '3', WORLD_SIZE: '4' };
    const { code } = await highwater([...RECORD, '-o', out, '--', 'true'], { env });
    expect([code, readdirSync(folder)]).toEqual([0, ['r0003.hw']]);
  });
});
