import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Report } from '../../src/analyses/report.ts';
import { where } from '../support/programs.ts';
import { cleanEnv, highwater, place } from '../support/recorder.ts';
import { torchPython } from '../support/torch.ts';
import { lackOf } from './servers/folder.ts';
import { type Slurm, startSlurm } from './servers/slurm.ts';

const PROLOG = resolve('assets/slurm/task-prolog.sh');

/** Rank 2 holds 150 MiB more. Nothing in it knows of Highwater. */
const TRAIN = `
import os, torch
torch.set_num_threads(1)
heavy = bytearray(b"x") * ((150 if os.environ["SLURM_PROCID"] == "2" else 1) << 20)
model = torch.nn.Linear(64, 64)
optimizer = torch.optim.Adam(model.parameters())
for _ in range(12):
    optimizer.zero_grad()
    model(torch.randn(32, 64)).square().mean().backward()
    optimizer.step()
`;

/** An sbatch file as users write them. */
const batchFile = (python: string, program: string) => `#!/bin/bash
#SBATCH --job-name=train
#SBATCH --nodes=4
#SBATCH --ntasks=4
srun ${python} ${program}
`;

const lack = lackOf('slurm') ?? (torchPython() ? null : 'needs torch: .venv with it');

describe('a cluster whose administrator has set the TaskProlog', () => {
  let slurm: Slurm;
  let jobs: string;
  let stop: string;
  beforeAll(async () => {
    if (lack !== null) return;
    const site = place('site');
    jobs = join(site, 'jobs');
    stop = join(site, 'off');
    mkdirSync(jobs, { recursive: true });
    const prolog = join(site, 'prolog.sh');
    const text = `#!/bin/sh\nexport HIGHWATER_JOBS='${jobs}' HIGHWATER_OFF_FILE='${stop}'\nexec '${PROLOG}'\n`;
    writeFileSync(prolog, text, { mode: 0o755 });
    slurm = await startSlurm({ taskProlog: prolog });
  });

  where(lack)(
    'has a job of every untouched sbatch file, with all ranks and the heavier one',
    async () => {
      const folder = place('submitted');
      mkdirSync(folder);
      const [program, file, out] = ['train.py', 'train.sbatch', 'out.txt'].map((name) =>
        join(folder, name),
      ) as [string, string, string];
      writeFileSync(program, TRAIN);
      writeFileSync(file, batchFile(torchPython()!, program));
      const said = await slurm.batch('-o', out, file);
      expect(readFileSync(out, 'utf8')).toBe('');
      const [, id] = /batch job (\d+)/.exec(said)!;
      const own = join(jobs, spawnSync('id', ['-un'], { encoding: 'utf8' }).stdout.trim());
      expect(statSync(own).mode & 0o777).toBe(0o700);
      expect(readdirSync(own)).toEqual([`${id}.0`]); // the script itself trains nothing
      const step = join(own, `${id}.0`);
      expect(readdirSync(step)).toHaveLength(4);
      const { code, stdout, stderr } = await highwater(['report', step, '--json']);
      expect([code, stderr]).toEqual([0, '']);
      const report = JSON.parse(String(stdout)) as Report;
      expect(report.ranks.ranks.map(({ rank }) => rank)).toEqual([0, 1, 2, 3]);
      expect(report.ranks.outlier).toMatchObject({ rank: 2 });
    },
  );

  where(lack)(
    'is let into no task of a job that does not want it, nor past the switch',
    async () => {
      const out = join(place('out'));
      const told = async (...words: string[]) => {
        const command = "srun sh -c 'echo $SLURM_PROCID [$HIGHWATER_OUT$PYTHONPATH]'";
        await slurm.batch('-N2', '-n2', '-o', out, ...words, '--wrap', command);
        return readFileSync(out, 'utf8').trim().split('\n').sort();
      };
      expect(await told()).toEqual(
        [0, 1].map((n) => expect.stringMatching(`${n} \\[${jobs}/.*inject`)),
      );
      expect(await told('--export=ALL,HIGHWATER=off')).toEqual(['0 []', '1 []']);
      writeFileSync(stop, '');
      expect(await told()).toEqual(['0 []', '1 []']);
    },
  );
});

describe('task-prolog.sh', () => {
  function exported(env: NodeJS.ProcessEnv): Record<string, string> {
    const { stdout, stderr, status } = spawnSync('sh', [PROLOG], {
      encoding: 'utf8',
      env: cleanEnv({ SLURM_JOB_ID: '17', SLURM_STEP_ID: '0', ...env }),
    });
    expect([status, stderr]).toEqual([0, '']);
    const lines = stdout.split('\n').filter((line) => line !== '');
    return Object.fromEntries(lines.map((line) => /^export (\w+)=(.*)$/.exec(line)!.slice(1)));
  }

  it('keeps the PYTHONPATH of the job, and adds to it once', () => {
    const home = place('home');
    mkdirSync(home);
    const first = exported({ HOME: home, PYTHONPATH: '/my/own' });
    const inject = resolve('python/highwater/_inject');
    expect(first).toEqual({
      PYTHONPATH: `${inject}:/my/own`,
      HIGHWATER_OUT: `${home}/highwater-jobs/17.0`,
    });
    const again = exported({ HOME: home, ...first, SLURM_STEP_ID: '4294967291' });
    expect(again).toEqual({ HIGHWATER_OUT: `${home}/highwater-jobs/17.batch` });
  });

  it('says nothing where it is switched off, or could write nowhere', () => {
    const home = place('home');
    mkdirSync(home);
    writeFileSync(join(home, '.highwater-off'), '');
    expect(exported({ HOME: home })).toEqual({});
    expect(exported({ HOME: place('home'), HIGHWATER: 'off' })).toEqual({});
    expect(exported({ HOME: '/proc/no/such/home' })).toEqual({});
    expect(exported({ HOME: place('no'), HIGHWATER_HOME: '/nowhere' })).toEqual({});
  });
});
