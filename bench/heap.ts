import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { highwater } from './recorders.ts';
import { atMost, type Benchmark, megabytes, type Row, ratioAtMost } from './result.ts';
import { withFolder } from './scratch.ts';
import { best, type Usage, usageOf } from './usage.ts';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const MEMLAB = '@memlab/heap-analysis@2.0.5';
const MEMLAB_FOLDER = join(tmpdir(), 'highwater-bench-memlab');

/** 3.3 million objects and 8.7 million references, 236 MB. */
const SAMPLES = 250_000;
/** Four and a half times that: over 1 GB. */
const LARGE_SAMPLES = 1_130_000;
const TIME_LIMIT = 1 / 6;
const MEMORY_LIMIT = 1 / 2;
const LARGE_LIMIT_MB = 2000;
const ROUNDS = 3;

export const heap: Benchmark = {
  name: 'heap',
  title: 'a V8 heap snapshot with dominators, retained sizes and a partition, to memlab',
  run: ({ quick }) =>
    withFolder(async (folder) => {
      const out = join(folder, 'out.json');
      const snapshot = made(join(folder, 'heap.heapsnapshot'), quick ? SAMPLES / 5 : SAMPLES);
      const rows: Row[] = [];
      const [ours, theirs]: [Usage[], Usage[]] = [[], []];
      const memlab = installed();
      // Taking turns, as neighbours on the machine come and go.
      for (let round = 0; round < ROUNDS; round++) {
        ours.push(await partition(snapshot.path, out));
        if (memlab) theirs.push(await usageOf([...NODE, memlab, snapshot.path], `${out}.memlab`));
      }
      const { nodes, edges } = JSON.parse(readFileSync(out, 'utf8')) as Counts;
      const what = `${(nodes / 1e6).toFixed(2)} million objects, ${(edges / 1e6).toFixed(2)} million references`;
      rows.push({ what: 'snapshot', figure: `${what}, ${megabytes(snapshot.bytes)}` });
      rows.push(...against(ours, theirs));
      if (!quick) rows.push(await large(folder, out));
      return rows;
    }),
};

interface Counts {
  readonly nodes: number;
  readonly edges: number;
}

function against(ours: readonly Usage[], theirs: readonly Usage[]): Row[] {
  const [time, memory] = [best(ours, 'seconds'), best(ours, 'peakBytes')];
  const what = ['time of heap --retained --json', 'peak memory'] as const;
  if (theirs.length === 0) {
    const absent = 'memlab: absent';
    return [
      { what: what[0], peer: absent, figure: `${time.toFixed(2)} s` },
      { what: what[1], peer: absent, figure: megabytes(memory) },
    ];
  }
  const [peerTime, peerMemory] = [best(theirs, 'seconds'), best(theirs, 'peakBytes')];
  return [
    ratioAtMost(
      what[0],
      `memlab ${peerTime.toFixed(2)} s`,
      `${time.toFixed(2)} s`,
      time / peerTime,
      round(TIME_LIMIT),
    ),
    ratioAtMost(
      what[1],
      `memlab ${megabytes(peerMemory)}`,
      megabytes(memory),
      memory / peerMemory,
      MEMORY_LIMIT,
    ),
  ];
}

async function large(folder: string, out: string): Promise<Row> {
  const { path, bytes } = made(join(folder, 'large.heapsnapshot'), LARGE_SAMPLES);
  const used = await partition(path, out);
  const what = `peak memory of ${megabytes(bytes)} (${used.seconds.toFixed(1)} s)`;
  return atMost(what, used.peakBytes / 1e6, LARGE_LIMIT_MB, 'MB', 0);
}

function made(path: string, samples: number): { path: string; bytes: number } {
  const words = ['--max-old-space-size=16000', join(HERE, 'heap-maker.mjs'), String(samples), path];
  if (spawnSync(process.execPath, words, { stdio: ['ignore', 'ignore', 'inherit'] }).status !== 0) {
    throw new Error('no snapshot could be made');
  }
  return { path, bytes: statSync(path).size };
}

const NODE = [process.execPath, '--max-old-space-size=8192'];

/** The program that loads a snapshot with memlab; null where it cannot be installed. */
function installed(): string | null {
  const program = join(MEMLAB_FOLDER, 'load.cjs');
  if (!existsSync(join(MEMLAB_FOLDER, 'node_modules', '@memlab', 'heap-analysis'))) {
    mkdirSync(MEMLAB_FOLDER, { recursive: true });
    // Its scripts would download a browser, which loading a file does not need.
    const words = ['install', '--silent', '--ignore-scripts', '--prefix', MEMLAB_FOLDER, MEMLAB];
    if (spawnSync('npm', words, { stdio: ['ignore', 'ignore', 'inherit'] }).status !== 0)
      return null;
  }
  copyFileSync(join(HERE, 'heap-memlab.cjs'), program);
  return program;
}

const partition = (path: string, out: string) =>
  usageOf(highwater('heap', '--no-prompt', '--retained', '--json', path), out);

const round = (ratio: number) => Math.round(ratio * 1000) / 1000;
