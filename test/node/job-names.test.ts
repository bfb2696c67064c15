import { expect, it } from 'vitest';
import { jobRule } from '../../src/cli/commands/node.ts';
import { jobName } from '../../src/node/job-names.ts';

const POD = 'd9f5b0e6-7c43-4c9e-9f0b-3a1c2d4e5f60';

it.each([
  ['/slurm/uid_1000/job_17', { manager: 'slurm', job: '17', user: 1000 }],
  ['/slurm_n0/uid_0/job_4294967295', { manager: 'slurm', job: '4294967295', user: 0 }],
  ['/system.slice/slurmstepd.scope/job_17', { manager: 'slurm', job: '17', user: null }],
  [`/kubepods/burstable/pod${POD}`, { manager: 'kubernetes', job: POD, user: null }],
  [`/kubepods/pod${POD}`, { manager: 'kubernetes', job: POD, user: null }],
  [
    `/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod${POD.replaceAll('-', '_')}.slice`,
    { manager: 'kubernetes', job: POD, user: null },
  ],
  [`/docker/${'ab12'.repeat(16)}`, { manager: 'docker', job: 'ab12ab12ab12', user: null }],
  [
    `/system.slice/docker-${'ab12'.repeat(16)}.scope`,
    { manager: 'docker', job: 'ab12ab12ab12', user: null },
  ],
  ['/system.slice/run-r1f.scope', { manager: 'systemd', job: 'run-r1f', user: null }],
])('%s is a job', (path, name) => {
  expect(jobName(path)).toEqual(name);
});

it.each([
  '',
  '/init.scope',
  '/user.slice/user-1000.slice/session-3.scope',
  '/system.slice/slurmstepd.scope',
  '/slurm/uid_1000',
  '/kubepods.slice/kubepods-burstable.slice',
  '/system.slice/cron.service',
  '/my/job_17', // of nobody who is known
])('%s is none', (path) => {
  expect(jobName(path)).toBeNull();
});

it('knows another scheduler by a pattern', () => {
  const rule = jobRule('pbs=/jobid/(?<job>[^/]+)$');
  expect(jobName('/pbs_jobs.service/jobid/12.server', [rule])).toEqual({
    manager: 'pbs',
    job: '12.server',
    user: null,
  });
});

it.each(['pbs', 'pbs=/jobid/', '=(?<job>x)', 'pbs=(?<job>'])('refuses the pattern %s', (text) => {
  expect(() => jobRule(text)).toThrow(/names no jobs|is no pattern/);
});
