import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { RecordingBuilder } from '../../src/model/builder.ts';
import { saveRecording } from '../../src/model/disk/save.ts';
import type { RunInfo } from '../../src/model/run.ts';
import { addRow } from '../support/rows.ts';

const GiB = 2 ** 30;

/** Real ones: a training that leaks, one that the kernel killed, one that ran out on a card. */
export const REAL = ['docs/leak.hwz', 'docs/killed.hwz', 'gpu-gauntlet/logits.hwz'].map((name) =>
  resolve('test/fixtures', name),
);

interface KnownRun {
  readonly id: string;
  readonly name: string;
  readonly host: string;
  /** Minutes after 2026-11-02 08:00. */
  readonly minute: number;
  /** Of the process tree, a value each second. */
  readonly gib: readonly number[];
  readonly labels?: RunInfo['labels'];
  readonly limitGib?: number;
  /** Asked of Slurm. */
  readonly slurmGib?: number;
  readonly exit?: Partial<NonNullable<RunInfo['exit']>>;
  /** Iterations at these seconds. */
  readonly steps?: readonly number[];
}

const job = (id: string, rank: number, size: number) => ({
  launcher: 'slurm',
  job: id,
  rank: String(rank),
  worldSize: String(size),
});

/** Runs of which everything that is asked is known by heart. */
export const KNOWN: readonly KnownRun[] = [
  // A job of four ranks on two machines: 80 GiB were asked for on each, rank 2 needs most.
  ...[7, 7.5, 12, 8].map(
    (peak, rank): KnownRun => ({
      id: `00000000000000a${rank}`,
      name: 'pretrain',
      host: rank < 2 ? 'node1' : 'node2',
      minute: 0,
      gib: [1, peak, 2],
      labels: job('4711', rank, 4),
      slurmGib: 80,
      limitGib: 100,
    }),
  ),
  // One that uses what it asked for, and whose rank 1 is killed for memory two minutes before rank 0 gives up.
  ...[0, 1].map(
    (rank): KnownRun => ({
      id: `00000000000000b${rank}`,
      name: 'finetune',
      host: `node${rank + 2}`,
      minute: 60,
      gib: rank === 1 ? [10, 60, 79] : [...new Array(120).fill(50), 78],
      labels: job('4712', rank, 2),
      limitGib: 80,
      exit:
        rank === 1
          ? { code: null, signal: 'SIGKILL', oomKilled: true }
          : { code: 1, signal: null, oomKilled: false },
    }),
  ),
  // The same training at five commits: higher from the fourth on.
  ...[4, 4.1, 4, 6, 6.1].map(
    (peak, i): KnownRun => ({
      id: `00000000000000c${i}`,
      name: 'nightly',
      host: 'ci1',
      minute: 1440 * (i + 1),
      gib: [1, 1.5, peak, 2],
      labels: { commit: `${i}0ffee`.repeat(6).slice(0, 40) },
      steps: [0.5, 1.5, 2.5],
    }),
  ),
];

/** Writes them as recordings below a folder, the jobs in folders of their own. */
export function writeKnownRuns(folder: string): void {
  for (const run of KNOWN) {
    const path = join(folder, run.labels?.job ? `job-${run.labels.job}` : '', `${run.id}.hw`);
    mkdirSync(path, { recursive: true });
    saveRecording(recordingOf(run), path);
  }
}

function recordingOf(known: KnownRun) {
  const { id, name, host, minute, gib, labels, limitGib, slurmGib, exit, steps } = known;
  const started = Date.UTC(2026, 10, 2, 8, minute);
  const builder = new RecordingBuilder({
    id,
    name,
    argv: ['python', `${name}.py`],
    subject: 'command',
    startedAt: new Date(started).toISOString(),
    endedAt: new Date(started + gib.length * 1000).toISOString(),
    host: {
      name: host,
      platform: 'linux',
      kernel: '6.1',
      arch: 'x64',
      cpus: 64,
      memoryBytes: 512 * GiB,
    },
    // What was asked of Slurm goes before the limit that it ran under.
    ...(slurmGib !== undefined && {
      asked: {
        by: 'slurm' as const,
        job: labels!.job!,
        memoryBytes: slurmGib * GiB,
        memoryFrom: 'SLURM_MEM_PER_NODE',
        gpus: null,
      },
    }),
    cgroup: limitGib === undefined ? null : { version: 2, own: true, limitBytes: limitGib * GiB },
    labels: labels ?? {},
    exit: { code: 0, signal: null, oomKilled: false, oomEvidence: '', endedBy: null, ...exit },
  });
  const process = { pid: 100, ppid: 1, start_time: 1, argv: `python ${name}.py`, name: 'python' };
  addRow(builder, 'processes', { ...process, role: 'main', first_seen: 0 });
  addRow(builder, 'marks', { time: 0, time_from: 2, kind: 'start', name });
  for (const [second, value] of gib.entries()) {
    const sizes = { rss: value * GiB, pss: value * GiB, pss_estimated: 0 };
    addRow(builder, 'process', { time: second * 1e9, pid: 100, ...sizes });
  }
  for (const [iteration, second] of (steps ?? []).entries()) {
    const numbers = { pid: 100, iteration, epoch: 0, value: 1 / (iteration + 1) };
    addRow(builder, 'marks', {
      time: second * 1e9,
      time_from: 2,
      kind: 'iteration',
      name: `iteration ${iteration}`,
      ...numbers,
    });
  }
  return builder.build();
}
