import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect } from 'vitest';
import { FILES, locateGroup } from '../../src/sources/cgroup/location.ts';
import { THIS_MACHINE } from '../../src/sources/source.ts';
import { lackOfControlGroups } from '../support/control-groups.ts';
import { python, where } from '../support/programs.ts';
import { place, sleep, start, until } from '../support/recorder.ts';
import { lackOf } from './servers/folder.ts';
import { type Prometheus, startPrometheus } from './servers/prometheus.ts';
import { freePorts } from './servers/server.ts';

const MIB = 1024 ** 2;
/** 150 MiB for a twentieth of a second, which no scrape and no look a second apart would see. */
const SPIKE = `
import sys, time
time.sleep(float(sys.argv[1]))
spike = bytearray(b"x") * (150 << 20)
time.sleep(0.05)
del spike
time.sleep(600)
`;

const made: string[] = [];
const processes: ChildProcess[] = [];
afterAll(async () => {
  for (const child of processes) child.kill('SIGKILL');
  for (const folder of made.reverse()) await remove(folder);
});

/** The kernel lets a group go when its processes are gone, which takes a moment. */
async function remove(folder: string): Promise<void> {
  for (;;) {
    try {
      rmdirSync(folder);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EBUSY') return;
      await sleep(20);
    }
  }
}

/** A control group as Slurm makes them, with a program in it. */
function slurmJob(id: number, wait: number, env: NodeJS.ProcessEnv = {}) {
  const { folder: own, version } = locateGroup(THIS_MACHINE)!;
  const folder = join(own, `slurm_hwtest${process.pid}/uid_65534/job_${id}`);
  for (const at of [dirname(dirname(folder)), dirname(folder), folder]) {
    try {
      mkdirSync(at);
      made.push(at);
    } catch {}
  }
  const program = `echo $$ > ${folder}/cgroup.procs && exec ${python()} -c '${SPIKE}' ${wait}`;
  const child = spawn('sh', ['-c', program], { env: { ...process.env, ...env }, stdio: 'ignore' });
  processes.push(child);
  const read = (file: 'peak' | 'current') =>
    Number(readFileSync(join(folder, FILES[version][file]), 'utf8'));
  /** It was up there, and is down again: the peak will not move any more. */
  const isPast = () => read('peak') > 150 * MIB && read('current') < 100 * MIB;
  return { folder, child, peak: () => read('peak'), isPast };
}

const lack = lackOf('debian') ?? lackOfControlGroups();

describe('highwater node, scraped by Prometheus', () => {
  where(lack)(
    'tells the exact peak of jobs that nobody recorded, and notes those that ended',
    async () => {
      const [port] = await freePorts(1);
      const log = place('log');
      const off = place('off');
      const flags = ['--listen', `:${port}`, '--window', '5', '--log', log, '--off-file', off];
      const { child: node, finished } = start(['node', ...flags]);
      processes.push(node);
      const server = await startPrometheus('2.42', { targets: [`127.0.0.1:${port}`] });
      const [first, second] = [slurmJob(71, 2.5), slurmJob(72, 2.5, { HIGHWATER: 'off' })];
      const third = slurmJob(73, 2.5);

      const peaks = () => valuesOf(server, 'highwater_cgroup_peak_bytes');
      await until(() => [first, second, third].every(({ isPast }) => isPast()));
      await expect.poll(peaks).toEqual({ 71: first.peak(), 73: third.peak() });
      // Sampled once a second: that the window has it too is the kernel's doing.
      const window = await server.query(
        'max_over_time(highwater_cgroup_current_window_peak_bytes{job="71"}[10m])',
      );
      expect(Number(window[0]?.value[1])).toBe(first.peak());
      expect(window[0]?.metric).toMatchObject({ manager: 'slurm', user: '65534' });

      const exact = third.peak();
      third.child.kill('SIGKILL');
      await remove(third.folder);
      const noted = join(log, '65534');
      await until(() => names(noted).length > 0);
      const file = join(noted, names(noted)[0]!);
      expect([statSync(file).mode & 0o777, statSync(file).uid]).toEqual([0o600, 65_534]);
      expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ job: '73', peakBytes: exact });

      writeFileSync(off, '');
      await expect.poll(() => valuesOf(server, 'highwater_host_used_bytes')).toEqual({});
      node.kill('SIGTERM');
      const { code, stderr } = await finished;
      expect([code, stderr.trim().split('\n').length]).toEqual([0, 1]);
    },
  );
});

function names(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

async function valuesOf(server: Prometheus, name: string): Promise<Record<string, number>> {
  const found = await server.query(name);
  return Object.fromEntries(found.map(({ metric, value }) => [metric.job ?? '', Number(value[1])]));
}
