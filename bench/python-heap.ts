import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { highwater } from './recorders.ts';
import { absent, atMost, type Benchmark, type Row, ratioAtMost } from './result.ts';
import { withFolder } from './scratch.ts';
import { usageOf } from './usage.ts';
import { installed, python } from './venv.ts';

const SCRIPT = fileURLToPath(new URL('./python_heap.py', import.meta.url));
const PACKAGE = fileURLToPath(new URL('../python', import.meta.url));
const LIMIT = 1.5;
/** Kinds whose counts both must agree on: nothing of the two tools' own is among them. */
const COMPARED = [
  '__main__.Node',
  'dict of __main__.Node',
  '__main__.Slot',
  'float',
  'int',
  'list',
];

interface Guppy {
  readonly seconds: number;
  readonly objects: number;
  readonly counts: Readonly<Record<string, number>>;
}

interface Dump {
  readonly seconds: number;
  readonly objects: number;
  readonly pauseMs: number;
  readonly megabytes: number;
}

interface Round {
  /** Null where guppy3 cannot be installed. */
  readonly guppy: Guppy | null;
  readonly dump: Dump;
  /** `highwater heap` of the dump, its start included. */
  readonly reading: number;
  readonly counts: ReadonlyMap<string, number>;
}

export const pythonHeap: Benchmark = {
  name: 'python-heap',
  title: 'a Python heap of millions of objects, taken and partitioned',
  minutes: 2,
  run: ({ quick }) =>
    withFolder(async (folder) => {
      const version = installed('guppy3==3.1.7');
      const file = join(folder, 'x.hwheap');
      const count = String(quick ? 30_000 : 250_000);
      const rounds: Round[] = [];
      // Taking turns, as neighbours on the machine come and go; the best of each counts.
      for (let round = 0; round < (quick ? 1 : 3); round++) {
        const guppy = version === null ? null : run<Guppy>('guppy', count);
        const dump = run<Dump>('dump', count, file);
        rounds.push({ guppy, dump, ...(await readAndPartition(file, join(folder, 'out.json'))) });
      }
      return rowsOf(rounds, version === null ? null : `guppy3 ${version}`);
    }),
};

function rowsOf(rounds: readonly Round[], peer: string | null): Row[] {
  const best = (of: (round: Round) => number) => Math.min(...rounds.map(of));
  const [dumping, reading] = [best(({ dump }) => dump.seconds), best((round) => round.reading)];
  const { dump } = rounds[0]!;
  const objects = `${(dump.objects / 1e6).toFixed(1)} M objects`;
  const own = dumping + reading;
  const what = `${objects}: dump, read and partition`;
  return [
    { what: `dump, ${dump.megabytes.toFixed(0)} MB`, figure: seconds(dumping) },
    { what: 'read and partition', figure: seconds(reading) },
    ...(peer === null ? [absent(what, 'guppy3', seconds(own))] : against(what, peer, own, rounds)),
    atMost(
      'the program stood still, at most',
      Math.max(...rounds.map((one) => one.dump.pauseMs)),
      20,
      'ms',
      1,
    ),
  ];
}

/** To `hpy().heap()` and its print. */
function against(what: string, peer: string, own: number, rounds: readonly Round[]): Row[] {
  const other = Math.min(...rounds.map(({ guppy }) => guppy!.seconds));
  const { guppy, counts } = rounds[0]!;
  const wrong = COMPARED.filter((kind) => !near(counts.get(kind) ?? 0, guppy!.counts[kind] ?? 0));
  return [
    { ...ratioAtMost(what, peer, seconds(own), own / other, LIMIT), theirs: seconds(other) },
    {
      what: 'counts of the same kinds',
      peer,
      figure: wrong.length === 0 ? 'agree' : `differ: ${wrong.join(', ')}`,
      pass: wrong.length === 0,
    },
  ];
}

const seconds = (value: number) => `${value.toFixed(2)} s`;

/** Of one's own objects exactly; each tool has a few numbers and lists that the other has not. */
const near = (ours: number, theirs: number) => Math.abs(ours - theirs) <= 0.001 * theirs + 200;

function run<T>(...words: string[]): T {
  const env = { ...process.env, PYTHONPATH: PACKAGE };
  const { status, stdout, stderr } = spawnSync(python(), [SCRIPT, ...words], {
    encoding: 'utf8',
    env,
  });
  if (status !== 0)
    throw new Error(`bench/python_heap.py failed: ${stderr.trim().split('\n').at(-1)}`);
  return JSON.parse(stdout) as T;
}

/** In a process of its own, as guppy3 is: a warm compiler would flatter it. */
async function readAndPartition(file: string, out: string) {
  const command = highwater('heap', '--no-prompt', '--light', '--all', '--json', file);
  const { seconds: reading } = await usageOf(command, out);
  const { rows } = JSON.parse(readFileSync(out, 'utf8')) as {
    rows: { kind: string; count: number }[];
  };
  return { reading, counts: new Map(rows.map(({ kind, count }) => [kind, count])) };
}
