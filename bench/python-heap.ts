import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { heapOf, partitionOf } from '../src/analyses/heap/index.ts';
import { readPythonHeap } from '../src/formats/python-heap/index.ts';
import { fileBytes } from '../src/model/disk/file-bytes.ts';
import { atMost, type Benchmark, type Row, ratioAtMost } from './result.ts';

const SCRIPT = fileURLToPath(new URL('./python_heap.py', import.meta.url));
const PACKAGE = fileURLToPath(new URL('../python', import.meta.url));
const VENV = fileURLToPath(new URL('../.venv-bench', import.meta.url));
const PYTHON = join(VENV, 'bin', 'python');
const GUPPY = 'guppy3==3.1.7';
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

export const pythonHeap: Benchmark = {
  name: 'python-heap',
  title: 'a Python heap of millions of objects, taken and partitioned',
  async run({ quick }) {
    if (!installGuppy())
      return [{ what: 'guppy3 could not be installed: nothing measured', figure: '' }];
    const folder = mkdtempSync(join(tmpdir(), 'highwater-bench-heap-'));
    const file = join(folder, 'x.hwheap');
    const count = String(quick ? 30_000 : 250_000);
    try {
      // The machine is noisy: the best of several, taken in turns.
      const rounds: { guppy: Guppy; dump: Dump; reading: number; counts: Map<string, number> }[] =
        [];
      for (let round = 0; round < (quick ? 1 : 3); round++) {
        const guppy = run<Guppy>('guppy', count);
        const dump = run<Dump>('dump', count, file);
        rounds.push({ guppy, dump, ...(await readAndPartition(file)) });
      }
      return rowsOf(rounds);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

function rowsOf(
  rounds: readonly { guppy: Guppy; dump: Dump; reading: number; counts: Map<string, number> }[],
): Row[] {
  const best = (of: (round: (typeof rounds)[number]) => number) => Math.min(...rounds.map(of));
  const peer = best(({ guppy }) => guppy.seconds);
  const [dumping, reading] = [best(({ dump }) => dump.seconds), best((round) => round.reading)];
  const { guppy, dump, counts } = rounds[0]!;
  const wrong = COMPARED.filter((kind) => !near(counts.get(kind) ?? 0, guppy.counts[kind] ?? 0));
  const objects = `${(dump.objects / 1e6).toFixed(1)} M objects`;
  return [
    { what: `${objects}: hpy().heap() and its print`, peer: GUPPY, figure: `${peer.toFixed(2)} s` },
    { what: `dump, ${dump.megabytes.toFixed(0)} MB`, figure: `${dumping.toFixed(2)} s` },
    { what: 'read and partition', figure: `${reading.toFixed(2)} s` },
    ratioAtMost(
      'dump and partition',
      GUPPY,
      `${(dumping + reading).toFixed(2)} s`,
      (dumping + reading) / peer,
      2.5,
    ),
    atMost(
      'the program stood still, at most',
      Math.max(...rounds.map((one) => one.dump.pauseMs)),
      100,
      'ms',
      1,
    ),
    {
      what: 'counts of the same kinds',
      peer: GUPPY,
      figure: wrong.length === 0 ? 'agree' : `differ: ${wrong.join(', ')}`,
      pass: wrong.length === 0,
    },
  ];
}

/** Of one's own objects exactly; each tool has a few numbers and lists that the other has not. */
const near = (ours: number, theirs: number) => Math.abs(ours - theirs) <= 0.001 * theirs + 200;

function run<T>(...words: string[]): T {
  const env = { ...process.env, PYTHONPATH: PACKAGE };
  const { status, stdout, stderr } = spawnSync(PYTHON, [SCRIPT, ...words], {
    encoding: 'utf8',
    env,
  });
  if (status !== 0) throw new Error(`bench/python_heap.py failed: ${stderr.trim()}`);
  return JSON.parse(stdout) as T;
}

async function readAndPartition(file: string) {
  const began = performance.now();
  const heap = heapOf(await readPythonHeap(fileBytes(file)));
  const kinds = partitionOf(heap);
  const counts = new Map<string, number>();
  for (let row = 0; row < kinds.rows; row++) counts.set(kinds.label(row), kinds.counts[row]!);
  return { reading: (performance.now() - began) / 1000, counts };
}

function installGuppy(): boolean {
  const succeeds = (...words: string[]) => spawnSync(words[0]!, words.slice(1)).status === 0;
  if (!existsSync(PYTHON) && !succeeds('python3', '-m', 'venv', VENV)) return false;
  return (
    succeeds(PYTHON, '-c', 'import guppy') ||
    succeeds(PYTHON, '-m', 'pip', 'install', '--quiet', GUPPY)
  );
}
