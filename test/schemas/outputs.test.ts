import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { JSONSchema7 as Schema } from 'json-schema';
import { beforeAll, describe, expect, it } from 'vitest';
import { schemaErrors } from '../support/json-schema.ts';
import { type Ended, inOneProcess } from '../support/one-process.ts';
import { needs, python } from '../support/programs.ts';
import { type Finished, highwater, place, recorded, SCRATCH } from '../support/recorder.ts';
import { verdictProblems } from '../verdict/problems.ts';

const FIXTURES = resolve('test/fixtures');
const fixture = (path: string) => join(FIXTURES, path);

/** Holds so many MiB for a moment, and counts steps. */
const holds = (mib: number | string) => [
  process.execPath,
  '-e',
  `globalThis.kept = Buffer.alloc(${mib} * 2 ** 20, 1); let n = 0;
  const timer = setInterval(() => { console.log('step ' + ++n + '/5'); if (n === 5) clearInterval(timer); }, 60);`,
];

/** Three heaps of a program that grows. */
const HEAPS = `
  const v8 = require('v8');
  class Entry { constructor(i) { this.list = new Array(20).fill(i); } }
  globalThis.cache = new Map();
  for (let heap = 1; heap <= 3; heap++) {
    for (let i = 0; i < 300; i++) cache.set(cache.size, new Entry(i));
    v8.writeHeapSnapshot(process.argv[1] + '/' + heap + '.heapsnapshot');
  }
`;

type Printed = Pick<Ended | Finished, 'stdout' | 'stderr'>;

function checkPrinted(schema: string, { stdout, stderr }: Printed): void {
  const root = JSON.parse(readFileSync(resolve(`docs/schemas/${schema}.json`), 'utf8')) as Schema;
  expect(String(stdout), stderr).not.toBe('');
  const output = JSON.parse(String(stdout));
  expect(schemaErrors(root, output)).toEqual([]);
  expect(verdictProblems(output)).toEqual([]);
}

async function checkOutput(schema: string, ...argv: string[]): Promise<void> {
  const starts = argv.includes('--'); // a program, from a process of its own
  checkPrinted(schema, await (starts ? highwater : inOneProcess)(argv));
  if (starts) return;
  const brief = await inOneProcess([...argv, '--brief']);
  expect(Buffer.byteLength(brief.stdout)).toBeLessThanOrEqual(8192);
  const root = JSON.parse(readFileSync(resolve('docs/schemas/brief.json'), 'utf8')) as Schema;
  expect(schemaErrors(root, JSON.parse(brief.stdout))).toEqual([]);
}

describe('what a verb prints with --json is as docs/schemas says', () => {
  const short = ['--before', '0', '--after', '0'];
  const sweep = place('sweep');
  // One of its runs is also the one that the others are held against.
  const large = join(sweep, 'size=40.hw');
  let small = '';
  let swept: Finished;
  const heap = (n: number) => join(SCRATCH, `${n}.heapsnapshot`);
  beforeAll(async () => {
    const argv = ['sweep', '--json', '-q', '-o', sweep, '--param', 'size=8,40,80,fail', ...short];
    const run = highwater([...argv, '--', ...holds('{size}')]);
    small = (await recorded([], holds(8))).folder;
    execFileSync(process.execPath, ['-e', HEAPS, SCRATCH]);
    swept = await run;
  }, 120_000);

  it('report: a command, logs of other tools, an allocation trace, recordings of old versions', async () => {
    const inputs = [
      small,
      fixture('recordings/v1.hw'),
      fixture('recordings/v3.hw'),
      fixture('formats/torch-snapshot/h200-streams.pickle'),
      fixture('formats/mprof/0.61.0/functions.dat'),
      fixture('formats/nvidia-smi/h200/memory_fft.txt'),
      fixture('formats/mxnet-log/torch-2.11/cnn.log'),
    ];
    for (const input of inputs) await checkOutput('report', 'report', input, '--json');
    await checkOutput('series', 'report', large, '--series', '--json');
  });

  it('compare: runs, and allocation traces', async () => {
    await checkOutput('compare', 'compare', small, large, '--json');
    const logs = fixture('formats/nvidia-smi/h200');
    await checkOutput('compare', 'compare', logs, '--against', 'fft', '--json');
    const traces = ['h200-pinned', 'h200-streams'].map((name) =>
      fixture(`formats/torch-snapshot/${name}.pickle`),
    );
    await checkOutput('compare', 'compare', ...traces, '--json');
  });

  it('sweep, its report, and what would fit', async () => {
    checkPrinted('sweep', swept);
    await checkOutput('sweep', 'report', sweep, '--json', '--fit', '1GiB');
    // Of a few rows: fitting all of them takes longer, and says nothing else.
    const rows = readFileSync(fixture('fit/unet-peaks.csv'), 'utf8').split('\n').slice(0, 9);
    const peaks = place('peaks.csv');
    writeFileSync(peaks, `${rows.join('\n')}\n`);
    await checkOutput('peak-table', 'report', peaks, '--fit', '16GiB', '--json');
  });

  it('check: within, over, and what cannot be told', async () => {
    const limits = ['--peak', 'tree.pss<=1MiB', '--peak', 'tree.rss<=1GiB', '--peak', 'gpu<=1GiB'];
    await checkOutput('check', 'check', large, ...limits, '--no-leak', '--json');
    const before = ['--baseline', small, '--max-regress', '3%'];
    await checkOutput('check', 'check', large, ...before, '--json');
  });

  it('what-if', async () => {
    const [lstm, oom] = ['what-if/lstm_varlen', 'training/gpt_oom'].map((name) =>
      fixture(`snapshots/${name}.pickle.gz`),
    );
    await checkOutput('what-if', 'what-if', lstm!, '--smallest', '--json');
    await checkOutput('what-if', 'what-if', lstm!, '--set', 'default', '--limit', '1GiB', '--json');
    await checkOutput('what-if', 'what-if', oom!, '--json');
    await checkOutput('what-if', 'what-if', oom!, '--card', '2GiB', '--json');
  });

  it('heap: its rows, a difference, what grows, answers', async () => {
    await checkOutput('heap', 'heap', heap(1), '--retained', '--json');
    await checkOutput('heap', 'heap', heap(1), '--light', '--all', '--by', 'type', '--json');
    await checkOutput('heap-difference', 'heap', heap(1), heap(2), '--json');
    await checkOutput('heap-growth', 'heap', heap(1), heap(2), heap(3), '--json');
    const asks = ['0', '0.paths', 'referents', 'back', 'by rcs', 'holders'];
    const words = asks.flatMap((ask) => ['--ask', ask]);
    await checkOutput('heap-answers', 'heap', heap(3), ...words, '--json');
  });

  needs('python3')(
    'sizes: of a Python program, a Node program, and one that says nothing',
    async () => {
      const script = join(SCRATCH, 'held.py');
      writeFileSync(script, 'held = bytearray(20_000_000)\n');
      await checkOutput('sizes', 'sizes', '--json', '--', python(), script);
      await checkOutput('sizes', 'sizes', '--json', '--', process.execPath, '-e', '1');
      await checkOutput('sizes', 'sizes', '--json', '--', 'sleep', '0.3');
    },
  );

  it('analyze: a log, and a folder with other files in it', async () => {
    const [folder, log] = [place('logs'), fixture('formats/mxnet-log/torch-2.11/cnn.log')];
    mkdirSync(folder);
    copyFileSync(log, join(folder, 'cnn.log'));
    writeFileSync(join(folder, 'notes.log'), 'nothing of the kind\n');
    for (const input of [log, folder]) {
      await checkOutput('analyze', 'analyze', input, '--json', '-o', place('analysis'));
    }
  });

  it('report: of runs that were repeated', async () => {
    const folder = place('repeats');
    await highwater(['record', '-q', ...short, '--repeat', '2', '-o', folder, '--', 'true']);
    await checkOutput('repeats', 'report', folder, '--json');
  });

  it('job: a rank that failed, and one that is missing', async () => {
    const folder = place('job');
    for (const rank of ['0', '2']) {
      const env = { RANK: rank, WORLD_SIZE: '3', SLURM_JOB_ID: '7', SLURM_MEM_PER_NODE: '1024' };
      const command = ['record', '-q', ...short, '-o', folder, '--', 'sh', '-c', `exit ${rank}`];
      await highwater(command, { env });
    }
    await checkOutput('job', 'job', folder, '--json');
  });

  it('doctor', () => checkOutput('doctor', 'doctor', '--json'));
});
