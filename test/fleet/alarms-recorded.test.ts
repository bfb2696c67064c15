import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { GiB } from '../../src/base/bytes.ts';
import type { Recording } from '../../src/model/recording.ts';
import { series } from '../../src/model/series.ts';
import { openInput } from '../../src/open/open.ts';
import { highwater, open, place } from '../support/recorder.ts';
import { lackOf, type Part } from './servers/folder.ts';
import {
  type FoundSeries,
  PROMETHEUS_PART,
  PROMETHEUS_VERSIONS,
  startPrometheus,
} from './servers/prometheus.ts';
import { whereFleet } from './servers/server.ts';
import { startVictoriaMetrics } from './servers/victoria-metrics.ts';
import { type Change, saveSlowed } from './slowed.ts';

/**
 * Real recordings, their clocks slowed to two hours, pushed as history into real servers, and the alarms' own expressions asked of those: an
 * alarm is on where its expression holds for as long as its `for` says. Programs that need a card, or that the kernel killed, are the
 * project's fixtures; the others are recorded here. Hand-made courses, for many more shapes: alarms.test.ts.
 */
const HOURS = 2;
const STEP_SECONDS = 30;

/** Holds 120 MB more each second, and gives some back between. */
const LEAKING = `
import time
kept = []
for step in range(110):
    kept.append(bytearray(b'1' * 12_000_000)); part = bytearray(b'1' * 8_000_000); time.sleep(0.07); del part; time.sleep(0.03)
`;
/** The same work, and nothing kept. */
const STEADY = LEAKING.replace('kept.append', 'len');
/** Three ranks, as a launcher starts them; how many bytes each holds. */
const ranks = (bytes: readonly number[]) => `
import os, subprocess, sys
hold = "import sys, time; held = bytearray(b'1') * int(sys.argv[1]); time.sleep(9)"
started = [subprocess.Popen([sys.executable, '-c', hold, str(size)], env={**os.environ, 'RANK': str(rank), 'LOCAL_RANK': str(rank), 'WORLD_SIZE': '3'})
           for rank, size in enumerate(${JSON.stringify(bytes)})]
for one in started: one.wait()
`;

const SLURM = { SLURM_JOB_ID: '4711', SLURM_MEM_PER_NODE: String(16 * 1024) };
const RECORDED: Readonly<Record<string, { program: string; env?: NodeJS.ProcessEnv }>> = {
  leaking: { program: LEAKING, env: SLURM },
  steady: { program: STEADY },
  skewed: { program: ranks([1e8, 1.5e9, 1.2e8]) },
  even: { program: ranks([3e8, 3.1e8, 3.2e8]) },
};

/** By the name of an alarm: the jobs that it must be on for, and those that it must not. */
const EXPECTED: Readonly<
  Record<string, { readonly fires: readonly string[]; readonly silent: readonly string[] }>
> = {
  HighwaterJobWillRunOut: {
    fires: ['killed'],
    silent: ['leaking', 'steady', 'filling-card', 'full-card', 'even-cards'],
  },
  HighwaterHostWillRunOut: { fires: ['leaking'], silent: ['steady', 'even', 'full-card'] },
  // The other card has 121 of 140 GiB in use, and stays there.
  HighwaterCardWillRunOut: { fires: ['filling-card'], silent: ['full-card', 'even-cards'] },
  HighwaterRankSkew: { fires: ['skewed'], silent: ['even', 'leaking', 'steady'] },
  HighwaterRankSkewOnCard: { fires: ['skewed-cards'], silent: ['even-cards', 'full-card'] },
  HighwaterLeak: { fires: ['leaking'], silent: ['steady', 'even', 'skewed'] },
  HighwaterAskedForTwice: { fires: ['leaking'], silent: ['steady', 'even', 'killed'] },
  HighwaterKilled: { fires: ['killed'], silent: ['leaking', 'steady', 'full-card'] },
};

interface Rule {
  readonly name: string;
  readonly expression: string;
  readonly forSeconds: number;
}

const RULES: readonly Rule[] = readFileSync(
  resolve('assets/prometheus/highwater.rules.yml'),
  'utf8',
)
  .split('- alert: ')
  .slice(1)
  .map((text) => {
    const block = /expr: (?:\|\n((?: {10}.*\n)+)|(.*)\n)/.exec(text)!;
    return {
      name: /^\w+/.exec(text)![0],
      expression: block[1] ?? block[2]!,
      forSeconds: 60 * Number(/\bfor: (\d+)m/.exec(text)?.[1] ?? 0),
    };
  });

const fixture = (name: string) => openInput(resolve('test/fixtures', `${name}.hwz`));
const slow = place('slowed');
const endMs = Math.floor(Date.now() / 15_000) * 15_000 - 60_000;

async function record(program: string, env: NodeJS.ProcessEnv = {}): Promise<Recording> {
  const folder = place();
  const flags = ['-q', '--agent', 'off', '--before', '0.1', '--after', '0.1', '-o', folder];
  const command = ['record', ...flags, '--', 'python3', '-c', program];
  expect(await highwater(command, { env: { ...process.env, ...env } })).toMatchObject({ code: 0 });
  return open(folder);
}

function save(recording: Recording, job: string, rank?: number, change?: Change): void {
  const labels = { ...recording.run.labels, job, ...(rank !== undefined && { rank: `${rank}` }) };
  const id = randomBytes(8).toString('hex');
  const folder = join(slow, `${job}-${rank ?? 0}.hw`);
  saveSlowed(recording, folder, HOURS, endMs, { id, name: job, labels }, change);
}

/** As if the machine had just a little more than was in use at the end. */
function smallMachine(recording: Recording): Change {
  const used = series(recording, 'host.used')!.values.at(-1)!;
  const less = recording.table('host').f64('MemTotal')[0]! - used * 1.02;
  const names = ['MemTotal', 'MemAvailable', 'MemFree'];
  return (table, column, values) =>
    table === 'host' && names.includes(column) ? values.map((bytes) => bytes - less) : values;
}

const smallCard: Change = (table, column, values) =>
  table === 'gpu' && column === 'total' ? values.map(() => 6 * GiB) : values;

beforeAll(async () => {
  if (lackOf('debian', 'testing') !== null) return;
  mkdirSync(slow);
  for (const [job, { program, env }] of Object.entries(RECORDED)) {
    const recording = await record(program, env);
    save(recording, job, undefined, job === 'leaking' ? smallMachine(recording) : undefined);
  }
  save(await fixture('docs/killed'), 'killed');
  save(await fixture('gpu-gauntlet/ddpm_trajectory'), 'filling-card', undefined, smallCard);
  save(await fixture('gpu-gauntlet/neighbour'), 'full-card');
  const cards = ['first_step', 'big_batch-bf16', 'own_limit', 'neighbour'];
  for (const [at, name] of cards.entries()) {
    const recording = await fixture(`gpu-gauntlet/${name}`);
    if (at < 3) save(recording, 'even-cards', at);
    if (at !== 2) save(recording, 'skewed-cards', Math.min(at, 2));
  }
}, 240_000);

interface Asked {
  readonly writeUrl: string;
  queryRange(expression: string, from: number, to: number, step: number): Promise<FoundSeries[]>;
  flush?(): Promise<void>;
}

/** For how long it held without a break, at the most. */
function longestSeconds({ values }: FoundSeries): number {
  let [longest, from, before] = [0, Number.NaN, Number.NaN];
  for (const [seconds] of values) {
    if (seconds - before !== STEP_SECONDS) from = seconds;
    longest = Math.max(longest, seconds - from);
    before = seconds;
  }
  return longest;
}

const SERVERS: readonly {
  readonly name: string;
  readonly part: Part;
  start(): Promise<Asked>;
}[] = [
  ...PROMETHEUS_VERSIONS.map((version) => ({
    name: `Prometheus ${version}`,
    part: PROMETHEUS_PART[version],
    start: () => startPrometheus(version, { outOfOrder: '30d' }),
  })),
  {
    name: 'VictoriaMetrics 1.145',
    part: 'testing',
    start: () => startVictoriaMetrics('1.145'),
  },
];

it('every alarm has recordings to fire on, and others to be silent on', () => {
  expect(Object.keys(EXPECTED).sort()).toEqual(RULES.map(({ name }) => name).sort());
});

describe.each(SERVERS)('recordings pushed into $name', ({ part, start }) => {
  whereFleet(part)(
    'every alarm is on for those with the trouble, and for no other',
    async () => {
      const server = await start();
      expect(await highwater(['push', slow, server.writeUrl])).toMatchObject({ code: 0 });
      await server.flush?.();
      const [from, to] = [endMs / 1000 - HOURS * 3600, endMs / 1000];
      for (const { name, expression, forSeconds } of RULES) {
        const found = await server.queryRange(expression, from, to, STEP_SECONDS);
        const on = found.filter((one) => longestSeconds(one) >= forSeconds);
        const jobs = [...new Set(on.map(({ metric }) => metric.job!))];
        const { fires, silent } = EXPECTED[name]!;
        expect(jobs, name).toEqual(expect.arrayContaining([...fires]));
        expect(
          jobs.filter((job) => silent.includes(job)),
          `${name} stays silent`,
        ).toEqual([]);
        if (name.includes('Skew')) {
          const heavy = on.filter(({ metric }) => fires.includes(metric.job!));
          expect(heavy.map(({ metric }) => metric.rank)).toEqual([
            name.endsWith('Card') ? '2' : '1',
          ]);
        }
      }
    },
    180_000,
  );
});
