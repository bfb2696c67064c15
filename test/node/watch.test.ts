import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import type { Sample } from '../../src/metrics/samples.ts';
import type { CardNow } from '../../src/node/cards.ts';
import { groupRoot } from '../../src/node/groups.ts';
import { NodeWatch, type WatchOptions } from '../../src/node/watch.ts';
import { place } from '../support/recorder.ts';

// Folders as the kernel of version 2 writes them: what they hold is chosen here.
let machine: { proc: string; cgroup: string };
let said: string[];
const MIB = 1024 ** 2;

beforeEach(() => {
  const at = place('machine');
  machine = { proc: join(at, 'proc'), cgroup: join(at, 'cgroup') };
  said = [];
  write(machine.cgroup, { 'cgroup.controllers': 'cpu memory pids\n' });
  write(machine.proc, { meminfo: 'MemTotal:  1000 kB\nMemAvailable:  400 kB\n' });
});

function write(folder: string, files: Record<string, string | number>): void {
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), `${text}\n`);
}

function job(
  id: number,
  current: number,
  peak: number,
  more: Record<string, string | number> = {},
) {
  const folder = join(machine.cgroup, 'system.slice/slurmstepd.scope', `job_${id}`);
  write(folder, {
    'memory.current': current,
    'memory.peak': peak,
    'memory.max': 100 * MIB,
    'memory.stat': `anon ${current - 10}\nfile 10\nshmem 4`,
    'memory.events': 'oom_kill 1',
    'cgroup.procs': id,
    ...more,
  });
  write(join(machine.proc, String(id)), {
    environ: 'HOME=/x\0SLURM_JOB_ID=7\0SLURM_MEM_PER_NODE=64\0',
    cgroup: `0::/system.slice/slurmstepd.scope/job_${id}/step_0`,
  });
  return folder;
}

function watching(more: Partial<WatchOptions> = {}): NodeWatch {
  return new NodeWatch({
    machine,
    root: groupRoot(machine)!,
    rules: [],
    windowSeconds: 3,
    keepSeconds: 10,
    mostJobs: 100,
    offFile: join(machine.proc, 'off'),
    log: null,
    cards: null,
    say: (text) => said.push(text),
    ...more,
  });
}

const value = (samples: readonly Sample[], metric: string, isPeak = false, of = '7') =>
  samples.find((one) => one.metric === metric && one.isPeak === isPeak && one.labels.job === of)
    ?.value;

it("tells the kernel's peak, the window's, what is held, asked for and allowed", () => {
  const folder = job(7, 500, 900);
  const watch = watching();
  watch.tick(1000);
  const first = watch.samples(1000);
  // The peak was before we came: the window does not have it.
  expect(value(first, 'groupPeak')).toBe(900);
  expect(value(first, 'groupCurrent', true)).toBe(500);
  expect(value(first, 'treeHeld')).toBe(494);
  expect(value(first, 'groupLimit')).toBe(100 * MIB);
  expect(value(first, 'requested')).toBe(64 * MIB);
  expect(value(first, 'groupKills')).toBe(1);
  expect(first.find(({ metric }) => metric === 'hostUsed')?.value).toBe(600 * 1024);

  // Up to 2,000 and down again between two looks: only the kernel saw it.
  write(folder, { 'memory.peak': 2000, 'memory.current': 300 });
  watch.tick(2000);
  expect(value(watch.samples(2000), 'groupCurrent')).toBe(300);
  expect(value(watch.samples(2000), 'groupCurrent', true)).toBe(2000);
  // Whoever asks again is told the same, until the window is over.
  for (const at of [3000, 4000, 5000]) watch.tick(at);
  expect(value(watch.samples(5000), 'groupCurrent', true)).toBe(300);
  expect(value(watch.samples(5000), 'groupPeak')).toBe(2000);
});

it('of a job that comes while it looks, knows the peak of its first second', () => {
  const watch = watching();
  watch.tick(1000);
  job(7, 500, 900);
  // Looking for jobs costs at most a hundredth: the next look may be a moment later.
  for (let at = 2000; value(watch.samples(at), 'groupPeak') === undefined; at += 1000)
    watch.tick(at);
  expect(value(watch.samples(2000), 'groupCurrent', true)).toBe(900);
});

it('leaves out who does not want it, and everybody while the switch is there', () => {
  job(7, 500, 900);
  job(8, 400, 400);
  write(join(machine.proc, '8'), { environ: 'HIGHWATER=off\0' });
  const watch = watching();
  watch.tick(1000);
  expect(value(watch.samples(1000), 'groupPeak')).toBe(900);
  expect(value(watch.samples(1000), 'groupPeak', false, '8')).toBeUndefined();
  writeFileSync(join(machine.proc, 'off'), '');
  watch.tick(2000);
  expect(watch.samples(2000)).toEqual([]);
  rmSync(join(machine.proc, 'off'));
});

it('is bounded, and says what it leaves out', () => {
  for (let id = 1; id <= 5; id++) job(id, 1, 1);
  const watch = watching({ mostJobs: 3 });
  watch.tick(1000);
  const told = watch.samples(1000).filter(({ metric }) => metric === 'groupPeak');
  expect(told).toHaveLength(3);
  expect(said).toEqual(['more than 3 jobs: the rest is not told (--max-jobs)']);
});

it('tells what a job has of a card, by the processes that the driver names', () => {
  job(7, 500, 900);
  let onCard = 300;
  const cards = {
    sample: (): CardNow[] => [
      {
        card: '0',
        uuid: 'GPU-x',
        used: 900,
        total: 1000,
        processes: new Map([
          [7, onCard],
          [99, 5],
        ]),
      },
    ],
  };
  const watch = watching({ cards });
  watch.tick(1000);
  onCard = 200;
  watch.tick(2000);
  const samples = watch.samples(2000);
  expect(value(samples, 'gpuTree')).toBe(200);
  expect(value(samples, 'gpuTree', true)).toBe(300);
  expect(samples.find(({ metric }) => metric === 'gpuUsed')).toMatchObject({
    value: 900,
    labels: { card: '0', uuid: 'GPU-x' },
  });
});

it.skipIf(process.getuid?.() !== 0)(
  'notes are files of their users, and go after their time',
  async () => {
    const { noteEnded, forgetOld } = await import('../../src/node/job-log.ts');
    const folder = place('log');
    const ended = {
      job: '7',
      manager: 'slurm',
      user: 65_534,
      host: 'n0',
      seen: '',
      ended: '',
      peakBytes: 900,
      heldPeakBytes: null,
      limitBytes: null,
      requestedBytes: null,
      oomKills: 0,
      cards: {},
    };
    const then = Date.parse('2026-01-02T10:00:00Z');
    noteEnded(folder, ended, then);
    const file = join(folder, '65534/2026-01-02.ndjson');
    const { mode, uid } = statSync(file);
    expect([mode & 0o777, uid]).toEqual([0o600, 65_534]);
    expect(statSync(join(folder, '65534')).uid).toBe(0); // or its user could put a link where root writes
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(ended);
    forgetOld(folder, 2, then + 86_400_000);
    expect(statSync(file).size).toBeGreaterThan(0);
    forgetOld(folder, 2, then + 3 * 86_400_000);
    expect(() => statSync(file)).toThrow();
  },
);
