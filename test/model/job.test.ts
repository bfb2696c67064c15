import { describe, expect, it } from 'vitest';
import { gpus } from '../../src/analyses/gpu/index.ts';
import { ranks } from '../../src/analyses/ranks/index.ts';
import { report } from '../../src/analyses/report.ts';
import { GiB, MiB } from '../../src/base/bytes.ts';
import { RecordingBuilder } from '../../src/model/builder.ts';
import { iterationRows } from '../../src/model/iterations.ts';
import { mergeJob } from '../../src/model/job/merge.ts';
import { matchJob } from '../../src/model/job/one-job.ts';
import { ranksOf } from '../../src/model/ranks.ts';
import type { Recording } from '../../src/model/recording.ts';
import { TIME_FROM } from '../../src/model/schema.ts';
import { series } from '../../src/model/series.ts';
import { addRow } from '../support/rows.ts';

const SECOND = 1e9;

interface Rank {
  readonly rank: number;
  readonly host?: string;
  readonly labels?: Record<string, string>;
  readonly argv?: string[];
  /** When its recorder began, in seconds on the wall. */
  readonly began?: number;
  /** Seconds since then → MiB. */
  readonly sizes?: readonly (readonly [number, number])[];
  /** MiB on each card. */
  readonly cards?: readonly number[];
  /** What torch told between iterations, by device: MiB handed out then, and the most so far. */
  readonly torch?: readonly (readonly { allocated: number; peak: number }[])[];
  readonly exit?: number;
}

const SEEN = { start_time: 1, first_seen: 0 };
const CARD = { used: 4 * GiB, reserved: 0, free: GiB, total: 80 * GiB };

/** What a recorder that was started for one rank leaves. */
function recorded(one: Rank): Recording {
  const { rank, host = 'a', began = 0, sizes = [[1, 100]], cards = [] } = one;
  const builder = new RecordingBuilder({ id: `r${rank}`, name: 'train' });
  const { run } = builder;
  run.subject = 'command';
  run.argv = one.argv ?? ['python', 'train.py'];
  run.host.name = host;
  run.labels = one.labels ?? { job: 'j1', worldSize: '2', rank: String(rank) };
  run.sampling.askedHz = 10;
  run.startedAt = new Date((1e6 + began) * 1000).toISOString();
  run.endedAt = new Date((1e6 + began + 10) * 1000).toISOString();
  run.exit = {
    code: one.exit ?? 0,
    signal: null,
    oomKilled: false,
    oomEvidence: '',
    endedBy: null,
  };
  const pid = 100 + rank;
  addRow(builder, 'processes', { ...SEEN, pid, ppid: 1, role: 'main', rank });
  addRow(builder, 'clock', { monotonic: 0, wall: (1e6 + began) * SECOND });
  for (const [at, mib] of sizes) {
    const bytes = mib * MiB;
    addRow(builder, 'process', { time: at * SECOND, pid, rss: bytes, pss: bytes });
    addRow(builder, 'host', { time: at * SECOND, used: 4 * GiB });
  }
  const mark = (at: number, kind: string, iteration: number | null) => {
    const who = { time_from: TIME_FROM.agent, rank };
    addRow(builder, 'marks', { time: at * SECOND, ...who, kind, iteration });
  };
  mark(0.5, 'start', null);
  mark(0.6, 'iteration', 1);
  mark(9, 'end', null);
  for (const [gpu, mib] of cards.entries()) {
    run.gpus.push({ index: gpu, uuid: `${host}-${gpu}`, name: 'H200', memoryBytes: 80 * GiB });
    addRow(builder, 'gpu', { ...CARD, time: SECOND, gpu });
    if (mib > 0) addRow(builder, 'gpu_process', { time: SECOND, gpu, pid, used: mib * MiB });
  }
  for (const [at, devices] of (one.torch ?? []).entries()) {
    for (const [device, figures] of devices.entries()) {
      for (const [what, mib] of Object.entries(figures)) {
        const told = { time: (2 + at) * SECOND, pid, name: `torch${device}.${what}` };
        addRow(builder, 'counters', { ...told, value: mib * MiB });
      }
    }
  }
  return builder.build();
}

const named = (recordings: readonly Recording[]) =>
  recordings.map((recording, i) => ({ name: `${i}.hw`, recording }));

function merged(...ofRanks: Rank[]): Recording {
  const judged = matchJob(named(ofRanks.map(recorded)));
  if (!judged.ok) throw new Error(judged.reason);
  return mergeJob('job', judged.parts, judged.warnings);
}

describe('recordings of one job', () => {
  const judge = (...ofRanks: Rank[]) => matchJob(named(ofRanks.map(recorded)));
  const plain = { labels: {} };

  it('carry the same job id', () => {
    expect(judge({ rank: 0 }, { rank: 1, argv: ['python', 'train.py', '--node', '1'] }).ok).toBe(
      true,
    );
    expect(judge({ rank: 0 }, { rank: 1, labels: { job: 'j2', worldSize: '2' } })).toEqual({
      ok: false,
      reason: 'they carry different job ids',
    });
  });

  it('or, where none is known, the same command and number of ranks', () => {
    expect(judge({ rank: 0, ...plain }, { rank: 1, ...plain }).ok).toBe(true);
    expect(judge({ rank: 0, ...plain }, { rank: 1, ...plain, argv: ['x'] })).toMatchObject({
      reason: 'no job id is known, and their commands differ',
    });
    const eight = { labels: { worldSize: '8' } };
    expect(judge({ rank: 0, ...eight }, { rank: 1, ...plain })).toMatchObject({
      reason: 'their jobs have different numbers of ranks',
    });
  });

  it('are of different ranks', () => {
    expect(judge({ rank: 0 }, { rank: 0 })).toMatchObject({
      reason: '0.hw and 1.hw are both rank 0',
    });
  });

  it('have a rank each', () => {
    const none = new RecordingBuilder({ id: 'x', name: 'x', argv: ['python', 'train.py'] });
    const parts = named([recorded({ rank: 0, ...plain }), none.build()]);
    expect(matchJob(parts)).toEqual({ ok: false, reason: '1.hw has no rank' });
  });

  it('of a job that began anew are those of its last try', () => {
    const labels = (restart: string) => ({ labels: { job: 'j', worldSize: '2', restart } });
    const judged = judge(
      { rank: 0, ...labels('0') },
      { rank: 0, ...labels('1') },
      { rank: 1, ...labels('1') },
    );
    expect(judged).toMatchObject({
      ok: true,
      warnings: ['the job began anew 1 time: 1 recording before that left out'],
    });
  });

  it('may lack some, which is said', () => {
    const labels = { labels: { job: 'j', worldSize: '4' } };
    const { warnings } = merged({ rank: 3, ...labels }, { rank: 1, ...labels }).run;
    expect(warnings).toContain('2 of 4 ranks are here: no recording of rank 0, 2');
  });
});

describe('a job of several recordings', () => {
  it('has the sum of its ranks at one moment, on one clock', () => {
    // Rank 1 began two seconds later; both hold most three seconds after rank 0 began.
    const job = merged(
      {
        rank: 0,
        sizes: [
          [1, 100],
          [3.01, 200],
          [3.05, 100],
          [6, 50],
        ],
      },
      {
        rank: 1,
        began: 2,
        sizes: [
          [0.5, 10],
          [1.02, 400],
          [4, 10],
        ],
      },
    );
    const pss = series(job, 'tree.pss')!;
    expect(Math.max(...pss.values) / MiB).toBe(600);
    const at = pss.times[pss.values.indexOf(600 * MiB)]!;
    expect(at / SECOND).toBeGreaterThan(2.9);
    expect(at / SECOND).toBeLessThan(3.2);
    expect(pss.values.at(-1)! / MiB).toBe(60);
  });

  it('counts the iterations of one rank, and lasts from the first start to the last end', () => {
    const job = merged({ rank: 0, began: 3 }, { rank: 1 });
    expect(iterationRows(job)).toHaveLength(1);
    const { timing, recording } = report(job);
    expect(timing.durationSeconds).toBeCloseTo(9 + 3 - 0.5, 3);
    expect(recording.labels).toMatchObject({ job: 'j1', recordings: '2' });
  });

  it('names the rank that holds more', () => {
    const job = merged({ rank: 0 }, { rank: 1, sizes: [[1, 900]] }, { rank: 2 });
    expect(ranks(job).outlier).toMatchObject({ rank: 1, bytes: 900 * MiB });
  });

  it('what torch handed out is the most by its own count, not what was read between iterations', () => {
    const low = { allocated: 600, peak: 850 };
    const spike = { allocated: 600, peak: 7105 };
    const job = merged(
      { rank: 0, torch: [[low], [low]] },
      { rank: 1, torch: [[low], [spike]] },
      {
        rank: 2,
        torch: [
          [low, low],
          [low, low],
        ],
      },
    );
    const bytes = ranks(job).ranks.map(({ torchBytes }) => torchBytes);
    expect(bytes).toEqual([850 * MiB, 7105 * MiB, 2 * 850 * MiB]);
    expect(ranks(job).outlier).toMatchObject({ rank: 1, measure: 'torch', bytes: 7105 * MiB });
  });

  it('ended as the rank that failed', () => {
    const { exit } = merged({ rank: 0 }, { rank: 1, exit: 7 }).run;
    expect(exit).toMatchObject({ code: 7, oomEvidence: 'rank 1' });
  });

  it('of two hosts tells their processes and cards apart', () => {
    const job = merged({ rank: 0, cards: [900] }, { rank: 1, host: 'b', cards: [800] });
    expect(job.run.gpus.map(({ index, name }) => [index, name])).toEqual([
      [0, 'a: H200'],
      [1, 'b: H200'],
    ]);
    expect(new Set(job.table('gpu_process').u32('pid')).size).toBe(2);
    expect(job.table('host').rows).toBe(0);
    expect(job.run.warnings.some((text) => text.startsWith('several hosts'))).toBe(true);
    const alike = merged({ rank: 0, cards: [900] }, { rank: 1, cards: [900] });
    expect(alike.run.gpus).toHaveLength(1);
    expect(alike.table('host').rows).toBe(1);
  });

  it('names a context on a card that is not its own', () => {
    // Recorders of one host see all of its cards and their processes.
    const { run } = recorded({ rank: 0, labels: {}, cards: [4000, 0] });
    const builder = new RecordingBuilder({ ...run, id: 'x', name: 'x' });
    for (const rank of [0, 1]) {
      addRow(builder, 'processes', { ...SEEN, pid: 100 + rank, ppid: 1, rank });
      addRow(builder, 'gpu', { ...CARD, time: SECOND + rank, gpu: rank });
    }
    const held = (gpu: number, pid: number, mib: number) =>
      addRow(builder, 'gpu_process', { time: SECOND, gpu, pid, used: mib * MiB });
    held(0, 100, 4000);
    held(0, 101, 500);
    held(1, 101, 4000);
    const seen = builder.build();
    const other = recorded({ rank: 2, labels: {}, cards: [] });
    const judged = matchJob(named([seen, other]));
    expect(judged.ok).toBe(true);
    if (!judged.ok) return;
    const [first] = gpus(mergeJob('job', judged.parts)).gpus;
    expect(first!.strays).toMatchObject([{ rank: 1, ownGpu: 1, bytes: 500 * MiB }]);
  });
});

describe('a launcher', () => {
  it('is none of the ranks that it starts, whatever its own environment says', () => {
    const builder = new RecordingBuilder({ id: 'x', name: 'x' });
    const row = (pid: number, ppid: number, rank: number | null) =>
      addRow(builder, 'processes', { ...SEEN, pid, ppid, rank });
    row(10, 1, 1); // torchrun, on node 1 of srun
    row(11, 10, 4);
    row(12, 10, 5);
    row(13, 11, null); // a worker of rank 4
    row(14, 11, 4); // its resource tracker inherits the variable
    expect([...ranksOf(builder.build())].sort()).toEqual([
      [11, 4],
      [12, 5],
      [13, 4],
      [14, 4],
    ]);
  });
});
