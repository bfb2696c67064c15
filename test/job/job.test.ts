import { cpSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Job, JobFold } from '../../src/analyses/job/index.ts';
import { summarize } from '../../src/analyses/job/summarize.ts';
import { report } from '../../src/analyses/report.ts';
import { Distribution } from '../../src/base/distribution.ts';
import { quantileSorted } from '../../src/base/stats.ts';
import { SUMMARY_FILE } from '../../src/model/disk/summary-file.ts';
import type { WholeSummary } from '../../src/model/job/summary.ts';
import { jobText } from '../../src/views/job/job.ts';
import { type FleetOptions, fleetRanks, writeFleet } from '../support/fleet-ranks.ts';
import { Random } from '../support/random.ts';
import { highwater, place } from '../support/recorder.ts';
import { sampleRecording } from '../support/sample-recording.ts';

let base: WholeSummary;
beforeAll(() => {
  const recording = sampleRecording();
  base = summarize(recording, report(recording));
});

function jobOf(options: FleetOptions): Job {
  return folded([...fleetRanks(base, options)]);
}

function folded(all: readonly WholeSummary[]): Job {
  const fold = new JobFold();
  for (const { summary, details } of all) fold.add(summary, () => details, false);
  return fold.result('here');
}

describe('a job', () => {
  it('names the rank that died first, whatever the order of recordings', () => {
    const all = [...fleetRanks(base, { ranks: 64, dies: 41 })];
    for (const order of [all, all.toReversed()]) {
      const { firstDeath, verdict, ranks } = folded(order);
      expect(firstDeath).toMatchObject({
        rank: 41,
        node: 'node0005',
        how: 'killed',
        signal: 'SIGKILL',
        outOfMemory: true,
        certain: true,
      });
      expect(verdict).toMatchObject({ cause: { code: 'too-large' }, certainty: 'certain' });
      expect(verdict.cause.sentence).toMatch(
        /^Rank 41 on \{node\} died first, at 1 h 30 min: killed by SIGKILL, out of memory; 64 of 64 ranks/,
      );
      expect(ranks).toMatchObject({ outOfMemory: 1, count: 64 });
    }
  });

  it('of one run says neither first nor how many of how many', () => {
    const { verdict } = folded([...fleetRanks(base, { ranks: 1, dies: 0 })]);
    expect(verdict.cause.sentence).toMatch(
      /^Rank 0 on \{node\} died at 1 h 30 min: killed by SIGKILL, out of memory\.$/,
    );
  });

  it('does not say who died first where clocks of two machines decide it', () => {
    const all = [...fleetRanks(base, { ranks: 16, dies: 3 })];
    const first = all[3]!.summary.ranks[0]!.ended.atMs!;
    const at = (rank: number, atMs: number) =>
      all.map((one, i) => {
        if (i !== rank) return one;
        const ranks = one.summary.ranks.map((own) => ({ ...own, ended: { ...own.ended, atMs } }));
        return { ...one, summary: { ...one.summary, ranks } };
      });
    const other = folded(at(12, first + 300));
    expect(other.firstDeath).toMatchObject({ rank: 3, certain: false });
    expect(other.firstDeath!.orRather).toMatchObject([{ rank: 12, node: 'node0001' }]);
    expect(other.verdict.certainty).toBe('possible');
    expect(other.verdict.cause.sentence).toContain('cannot be told');
    // On one machine it is one clock.
    expect(folded(at(4, first + 300)).firstDeath).toMatchObject({
      rank: 3,
      certain: true,
      orRather: [],
    });
    expect(folded(at(4, first - 300)).firstDeath).toMatchObject({ rank: 4, certain: true });
  });

  it('finds outliers, stragglers, leaks, missing and cut ranks', () => {
    const job = jobOf({
      ranks: 200,
      outliers: [17],
      stragglers: [5],
      leaks: [60],
      missing: [33],
      cut: [150],
    });
    expect(job.outliers[0]).toMatchObject({ measure: 'card' });
    expect(job.outliers.map(({ rank }) => rank)).toContain(17);
    expect(job.outliers.find(({ rank }) => rank === 17)!.more[0]!.what).toMatch(
      /held by list in cache/,
    );
    expect(job.pace!.stragglers.map(({ rank }) => rank)).toEqual([5]);
    expect(job.leaks).toMatchObject({ count: 1, first: [{ rank: 60 }] });
    expect(job.ranks).toMatchObject({
      count: 199,
      worldSize: 200,
      missing: { count: 1, first: [33] },
      cut: { count: 1, first: [150] },
    });
    expect(job.nodes).toBe(25);
    // Slurm was asked for 1 TiB of each machine.
    expect(job.asked.memory).toMatchObject({
      from: 'slurm',
      nodes: 25,
      askedBytes: 25 * 1024 ** 4,
    });
    expect(job.asked.cards!.ranks).toBe(199);
    expect(job.asked.cards!.idle).toBe(1);
    expect(jobText(job)).toMatch(
      /199 of 200 on 25 machines; no recording of rank 33; cut off: rank 150/,
    );
  });

  it('tells when one rank parted from the others', () => {
    const { skew } = jobOf({ ranks: 32, outliers: [9], hours: 2 });
    expect(skew!.measure).toBe('card');
    expect(skew!.sinceSeconds).toBeGreaterThan(0.4 * 7200);
    expect(skew!.sinceSeconds).toBeLessThan(0.6 * 7200);
    expect(skew!.most!.rank).toBe(9);
    expect(jobOf({ ranks: 32 }).skew!.sinceSeconds).toBeNull();
  });

  it('of alike ranks names none', () => {
    const job = jobOf({ ranks: 300 });
    expect(job.outliers).toEqual([]);
    expect(job.pace!.stragglers).toEqual([]);
    expect(job.verdict.cause.code).toBe('no-problem-seen');
  });

  it('leaves earlier attempts of an elastic job out', () => {
    const again = [...fleetRanks(base, { ranks: 8, seed: 2 })].map((one) => ({
      ...one,
      summary: { ...one.summary, restart: 1 },
    }));
    const first = [...fleetRanks(base, { ranks: 8, dies: 2 })];
    for (const order of [
      [...first, ...again],
      [...again, ...first],
    ]) {
      const job = folded(order);
      expect(job.firstDeath).toBeNull();
      expect(job.recordings).toMatchObject({ read: 8, leftOut: 8 });
      expect(job.warnings).toContainEqual(
        'the job began anew 1 time: 8 recordings before that left out',
      );
    }
  });

  it('is refused where two jobs are there, or two runs without an id', () => {
    const two = [
      ...fleetRanks(base, { ranks: 2 }),
      ...fleetRanks(base, { ranks: 2, job: 'other' }),
    ];
    expect(() => folded(two)).toThrow(/recordings of 2 jobs: fleet-1 \(2\), other \(2\)/);
    const plain = [...fleetRanks(base, { ranks: 2 })].map((one) => ({
      ...one,
      summary: { ...one.summary, job: null, asked: null },
    }));
    expect(() => folded([...plain, ...plain])).toThrow(
      /rank 0 is there more than once, and no job id/,
    );
  });

  it('counts a rank that is there twice once', () => {
    const all = [...fleetRanks(base, { ranks: 4 })];
    const job = folded([...all, all[2]!]);
    expect(job.ranks).toMatchObject({ count: 4, twice: { count: 1, first: [2] } });
    expect(job.warnings.join()).toContain('1 rank is there more than once (rank 2)');
  });

  it('keeps a verdict of at most 4 KB whatever machines are called', () => {
    const all = [...fleetRanks(base, { ranks: 32, dies: 1 })].map((one) => ({
      ...one,
      summary: { ...one.summary, node: `\u001b[31m${'"{evil}'.repeat(25)}${one.summary.node}` },
    }));
    const job = folded(all);
    expect(JSON.stringify(job.verdict, null, 2).length).toBeLessThanOrEqual(4096);
    expect(jobText(job)).not.toContain('\u001b');
  });
});

describe('a distribution', () => {
  it('has exact ends and sums, and quantiles to half a percent', () => {
    const random = new Random(3);
    for (const count of [1, 2, 100, 4096, 4097, 30_000]) {
      const all = new Distribution();
      const values = Array.from({ length: count }, () => random.logBetween(1e3, 1e11));
      for (const value of values) all.add(value);
      const sorted = Float64Array.from(values).sort();
      expect([all.min, all.max, all.count]).toEqual([sorted[0], sorted.at(-1), count]);
      for (const q of [0.01, 0.5, 0.9, 0.99]) {
        const right = quantileSorted(sorted, q);
        if (all.exact) expect(all.quantile(q)).toBe(right);
        else {
          const at = q * (count - 1);
          expect(all.quantile(q)).toBeGreaterThan(sorted[Math.floor(at)]! / 1.006);
          expect(all.quantile(q)).toBeLessThan(sorted[Math.ceil(at)]! * 1.006);
        }
      }
    }
  });
});

describe('highwater job', () => {
  it('answers about a folder, folders in it, and by id', async () => {
    const folder = place('runs');
    writeFleet(join(folder, 'a'), base, { ranks: 6, outliers: [2] });
    writeFleet(join(folder, 'b', 'deep'), base, { ranks: 4, job: 'other' });
    const { code, stdout, stderr } = await highwater(['job', join(folder, 'a'), '--json']);
    expect([code, stderr]).toEqual([0, '']);
    const job = JSON.parse(String(stdout)) as Job;
    expect(Object.keys(job).slice(0, 3)).toEqual(['type', 'schemaVersion', 'verdict']);
    expect(job.ranks.count).toBe(6);
    const byId = await highwater(['job', 'other', folder, '--json']);
    expect((JSON.parse(String(byId.stdout)) as Job).ranks.count).toBe(4);
    const both = await highwater(['job', folder]);
    expect([both.code, both.stderr]).toEqual([
      2,
      expect.stringMatching(/^highwater: \S+ holds recordings of 2 jobs: .*\n$/),
    ]);
    const batch = await highwater(['job', '4711', join(folder, 'a')]);
    expect(String(batch.stdout)).toMatch(/^Rank 2 on node0000 stands out/);
    const none = await highwater(['job', 'nowhere', folder]);
    expect([none.code, none.stderr]).toEqual([
      2,
      expect.stringMatching(/^highwater: no recording of job nowhere in /),
    ]);
    const wrong = await highwater(['job', join(folder, 'nothing')]);
    expect([wrong.code, wrong.stderr]).toEqual([
      2,
      expect.stringMatching(/^highwater: there is no \S+nothing \(/),
    ]);
  });

  it('says which recordings cannot be read, in a line, and goes on', async () => {
    const folder = place('hostile');
    const [first, second] = writeFleet(folder, base, { ranks: 4 });
    writeFileSync(
      join(first!, SUMMARY_FILE),
      '{"type":"recording-summary","version":1,"ranks":"\\u001b[2J"}',
    );
    writeFileSync(join(first!, 'run.json'), '{}');
    rmSync(join(second!, SUMMARY_FILE));
    const { code, stdout } = await highwater(['job', folder, '--json']);
    expect(code).toBe(0);
    const job = JSON.parse(String(stdout)) as Job;
    // One has neither a summary nor anything else; it is no recording.
    expect(job.recordings).toMatchObject({ read: 2, unreadable: { count: 1 } });
    expect(job.recordings.unreadable.first[0]).toMatch(
      /its summary.jsonl is not believed \(its id /,
    );
    expect(job.ranks.missing).toEqual({ count: 2, first: [0, 1] });
  });

  it('reads packed recordings, and makes the summary of those without', async () => {
    const folder = place('job');
    mkdirSync(folder);
    for (const rank of ['0', '1', '2']) {
      const env = {
        RANK: rank,
        WORLD_SIZE: '4',
        LOCAL_RANK: rank,
        TORCHELASTIC_RUN_ID: 'abc',
        SLURM_JOB_ID: '99',
        SLURM_MEM_PER_NODE: '2048',
      };
      const command = [
        'record',
        '-q',
        '--before',
        '0',
        '--after',
        '0',
        '-o',
        folder,
        '--',
        'sh',
        '-c',
        `exit ${rank}`,
      ];
      expect((await highwater(command, { env })).code).toBe(Number(rank));
    }
    const names = readdirSync(folder).sort();
    const pack = join(folder, `${names[1]}z`);
    await highwater(['pack', join(folder, names[1]!), '-o', pack]);
    rmSync(join(folder, names[1]!), { recursive: true });
    rmSync(join(folder, names[2]!, SUMMARY_FILE));
    const { stdout } = await highwater(['job', folder, '--json']);
    const job = JSON.parse(String(stdout)) as Job;
    expect(job.job).toMatchObject({ id: 'abc', batchJob: '99', launcher: 'torchrun' });
    expect(job.recordings).toMatchObject({ read: 3, made: 1 });
    expect(job.ranks).toMatchObject({
      worldSize: 4,
      missing: { count: 1, first: [3] },
      endings: { well: 1, failed: 2 },
    });
    expect(job.asked.memory).toMatchObject({ from: 'slurm', askedBytes: 2 * 1024 ** 3 });
    // Unpacked again beside the pack, it is there once.
    cpSync(join(folder, names[0]!), join(folder, 'copy'), { recursive: true });
    renameSync(join(folder, 'copy'), join(folder, names[1]!));
    const again = JSON.parse(String((await highwater(['job', folder, '--json'])).stdout)) as Job;
    expect(again.ranks.twice).toEqual({ count: 1, first: [0] });
  });
});
