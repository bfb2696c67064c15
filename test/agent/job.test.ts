import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ranks } from '../../src/analyses/ranks/index.ts';
import type { Report } from '../../src/analyses/report.ts';
import { RecordingBuilder } from '../../src/model/builder.ts';
import { openAgentFiles } from '../../src/open/agent-files.ts';
import { readAgentLines } from '../../src/sources/agent/agent-lines.ts';
import { rankFrom } from '../../src/sources/process-tree/rank.ts';
import { needs, python } from '../support/programs.ts';
import { cleanEnv, highwater, place } from '../support/recorder.ts';

const FAKE = resolve('test/fixtures/agent/torch');
const INJECT = resolve('python/highwater/_inject');
const MIB = 1024 ** 2;

const SCRIPT = `
import os, time, torch
from torch.optim.optimizer import Optimizer
optimizer = Optimizer()
if os.environ["RANK"] == "1":
    heavy = bytearray(b"x") * (200 << 20)
for _ in range(5):
    time.sleep(0.03)
    torch.autograd.backward(())
    optimizer.step()
`;

import { addRow } from '../support/rows.ts';

/** A job of three ranks that has no recorder. */
function job(): string {
  const folder = place('job');
  const script = place('train.py');
  writeFileSync(script, SCRIPT);
  for (const rank of ['0', '1', '2']) {
    const env = { RANK: rank, WORLD_SIZE: '3', HIGHWATER_OUT: folder };
    const path = { PYTHONPATH: `${INJECT}:${FAKE}` };
    const { status, stderr } = spawnSync(python(), [script], {
      env: cleanEnv({ ...env, ...path }),
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([0, '']);
  }
  return folder;
}

describe('a job without a recorder', () => {
  needs('python3')('is opened as one, with the rank that stands out', async () => {
    const folder = job();
    const { code, stdout } = await highwater(['report', folder, '--json']);
    expect(code).toBe(0);
    const report = JSON.parse(String(stdout)) as Report;
    expect(report.ranks.ranks.map(({ rank }) => rank)).toEqual([0, 1, 2]);
    expect(report.ranks.outlier).toMatchObject({ rank: 1, measure: 'memory' });
    expect(report.ranks.outlier!.bytes - report.ranks.outlier!.medianBytes).toBeGreaterThan(
      150 * MIB,
    );
    expect(report.ranks.outlier!.more[0]!.what).toBe('memory that malloc handed out');
    expect(report.processes.processes.map(({ role }) => role).sort()).toEqual([
      'rank 0',
      'rank 1',
      'rank 2',
    ]);
    const text = String((await highwater(['report', folder])).stdout);
    expect(text).toMatch(/^ {2}Rank 1 stands out: /m);
    const markdown = String((await highwater(['report', folder, '--markdown'])).stdout);
    expect(markdown).toMatch(/^### Ranks$/m);
    for (const verb of [
      ['export', folder, '--to', 'csv', '--table', 'marks'],
      ['compare', folder, join(folder, readdirSync(folder)[0]!)],
      ['plot', folder, '-o', place('job.svg')],
      ['import', folder, '-o', place('imported.hw')],
    ]) {
      expect([verb[0], (await highwater(verb)).code]).toEqual([verb[0], 0]);
    }
  });

  needs('python3')('says which process was cut off', () => {
    const folder = job();
    const [first] = readdirSync(folder).sort();
    const file = join(folder, first!);
    writeFileSync(file, readFileSync(file, 'utf8').replace(/\{"type":"bye".*\n/, '{"type":"co'));
    const { warnings } = openAgentFiles(folder).run;
    expect(warnings).toContainEqual(`${first}: 1 line unreadable`);
    expect(warnings.some((text) => text.includes('said no goodbye'))).toBe(true);
  });

  it('tells processes of two hosts apart that have the same number', () => {
    const line = (host: string, wall: number) => [
      `{"type":"hello","version":1,"pid":7,"language":"python","rank":0,"host":"${host}","program":"x","time":5000,"wall":${wall}}`,
      '{"type":"counters","time":6000,"values":{"process.rss":1000}}',
      '{"type":"bye","dropped":0}',
    ];
    const recording = readAgentLines('two', [
      { name: 'a', lines: line('a', 1.7e18) },
      { name: 'b', lines: line('b', 1.7e18 + 2e9) },
    ]);
    const pids = recording.table('processes').u32('pid');
    expect(new Set(pids).size).toBe(2);
    const [first, last] = [recording.table('process').f64('time')[0]!, 2e9 + 1000];
    expect(first).toBeLessThan(last);
    expect(recording.table('process').f64('time').at(-1)).toBeCloseTo(last, -4);
    expect(recording.run.warnings[0]).toMatch(/^several hosts/);
  });

  it('is no folder of other lines', async () => {
    const folder = place('other');
    mkdirSync(folder);
    writeFileSync(join(folder, 'x.ndjson'), '{"step": 1}\n');
    const { code, stderr } = await highwater(['report', folder]);
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/is no recording, and has none in it/);
  });
});

describe('the rank of a process', () => {
  const CASES: [Record<string, string>, number | null][] = [
    [{}, null],
    [{ RANK: '3', WORLD_SIZE: '4' }, 3],
    [{ RANK: '3' }, null],
    [{ RANK: '5', WORLD_SIZE: '8', SLURM_PROCID: '1', SLURM_NTASKS: '2' }, 5],
    [
      {
        OMPI_COMM_WORLD_RANK: '2',
        OMPI_COMM_WORLD_SIZE: '4',
        SLURM_PROCID: '0',
        SLURM_NTASKS: '1',
      },
      2,
    ],
    [{ PMI_RANK: '1', PMI_SIZE: '2' }, 1],
    [{ SLURM_PROCID: '6', SLURM_NTASKS: '8' }, 6],
    [{ RANK: '-1', WORLD_SIZE: '4' }, null],
    [{ RANK: '²', WORLD_SIZE: '4' }, null],
  ];

  it.each(CASES)('%j is %s to the recorder', (env, rank) => {
    expect(rankFrom((name) => env[name])).toBe(rank);
  });

  needs('python3')('and to the agent', () => {
    const code =
      'import json, os, sys\nfrom highwater._rank import LAUNCHERS, rank\nanswers = []\n' +
      'for env in json.load(sys.stdin):\n    os.environ.clear(); os.environ.update(env); answers.append(rank())\n' +
      'print(json.dumps(answers))';
    const { stdout } = spawnSync(python(), ['-c', code], {
      input: JSON.stringify(CASES.map(([env]) => env)),
      env: cleanEnv({ PYTHONPATH: resolve('python') }),
      encoding: 'utf8',
    });
    expect(JSON.parse(stdout)).toEqual(CASES.map(([, rank]) => rank));
  });
});

describe('ranks side by side', () => {
  /** Ranks 0 to 3, each with a worker that knows its parent only; rank 2 keeps tensors. */
  const recording = () => {
    const builder = new RecordingBuilder({ id: 'x', name: 'x' });
    for (const rank of [0, 1, 2, 3]) {
      const [main, worker] = [100 + rank, 200 + rank];
      const seen = { start_time: 1, first_seen: 0 };
      addRow(builder, 'processes', { pid: main, ppid: 1, rank, ...seen });
      addRow(builder, 'processes', { pid: worker, ppid: main, ...seen });
    }
    for (const time of [1, 2]) {
      for (const rank of [0, 1, 2, 3]) {
        const main = (300 + (rank === 2 ? 250 : 0)) * MIB;
        addRow(builder, 'process', { time, pid: 100 + rank, rss: main, pss: main });
        addRow(builder, 'process', { time, pid: 200 + rank, rss: 50 * MIB, pss: 50 * MIB });
      }
    }
    for (const rank of [0, 1, 2, 3]) {
      const bytes = rank === 2 ? 240 * MIB : MIB;
      const holder = rank === 2 ? 'list of 9 in kept of m' : '';
      const texts = { shape: '[64]', dtype: 'float32', device: 'cpu', holder };
      addRow(builder, 'tensors', { time: 2, pid: 100 + rank, rank, ...texts, count: 9, bytes });
    }
    return builder.build();
  };

  it('count workers with their rank and name what the heavy one holds', () => {
    const result = ranks(recording());
    expect(result.measure).toBe('pss');
    expect(result.ranks.map(({ peakBytes, processes }) => [peakBytes! / MIB, processes])).toEqual([
      [350, 2],
      [350, 2],
      [600, 2],
      [350, 2],
    ]);
    expect(result.outlier).toMatchObject({ rank: 2, medianBytes: 350 * MIB });
    expect(result.outlier!.more).toEqual([
      {
        what: 'tensors [64] float32, held by list of 9 in kept of m',
        bytes: 240 * MIB,
        medianBytes: MIB,
      },
    ]);
  });

  it('name what the allocator of the heavy one holds more, by category, layer and place', () => {
    const trace = (rank: number, bytes: number) => ({
      rank,
      devices: [
        {
          categories: [{ category: 'activation', bytes }],
          topTags: [{ tag: `fc1 forward (iteration ${rank})`, bytes }],
          topStacks: [{ where: 'train.py:7 in step', stack: 1, bytes }],
        },
      ],
    });
    const { outlier } = ranks(
      recording(),
      [0, 1, 2, 3].map((rank) => trace(rank, (rank === 2 ? 500 : 100) * MIB)),
    );
    const usual = { bytes: 500 * MIB, medianBytes: 100 * MIB };
    expect(outlier!.more.slice(0, 3)).toEqual([
      { what: 'on the GPU, activation', ...usual },
      { what: 'on the GPU, made in fc1 forward', ...usual },
      { what: 'on the GPU, made at train.py:7 in step', ...usual },
    ]);
  });

  it('are none where there is but one', () => {
    const builder = new RecordingBuilder({ id: 'x', name: 'x' });
    expect(ranks(builder.build())).toMatchObject({ ranks: [], outlier: null });
  });
});
