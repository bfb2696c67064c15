import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Report } from '../src/analyses/report.ts';
import { KiB, MiB } from '../src/base/bytes.ts';
import { median } from '../src/base/stats.ts';
import { alignColumns } from '../src/base/text.ts';

/**
 * Does taking heaps change what a recording says? `npx tsx bench/heap-pairs.ts [--pairs 5] [--python PATH] [--only PATTERN] [--json FILE]`: twenty
 * programs, each recorded plain and with `--heap 3` by turns. The medians of the peak and of what a leak adds up to over the run may differ by as much as
 * plain runs do among themselves, by 1 % or by 4 MiB. It takes the better part of an hour; exit 1 where one differs by more.
 */
const { values: given } = parseArgs({
  options: {
    pairs: { type: 'string', default: '5' },
    python: { type: 'string', default: 'python3' },
    only: { type: 'string', default: '' },
    json: { type: 'string' },
  },
});
const CLI = resolve('dist/cli.js');
const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const SHARE = 0.01;
const LEAST = 4 * MiB;
/** Of each program. */
const TURNS = 90;

interface Program {
  readonly name: string;
  readonly command: readonly string[];
}

interface Figures {
  readonly peak: number;
  /** Slope times iterations; 0 where there are too few to tell one. */
  readonly growth: number;
  readonly verdict: string;
  readonly heaps: number;
}

function programs(): Program[] {
  const list =
    'import sys; sys.path.insert(0, sys.argv[1]); import heap_pairs; print("\\n".join(heap_pairs.PROGRAMS))';
  const names = output(given.python, ['-c', list, path('.')])
    .trim()
    .split('\n');
  const node = ['Node, objects', 'Node, objects that leak'];
  return [
    ...names.map((name) => ({ name, command: [given.python, path('heap_pairs.py'), name] })),
    ...node.map((name) => ({ name, command: [process.execPath, path('heap_pairs.mjs'), name] })),
  ].filter(({ name }) => new RegExp(given.only).test(name));
}

function output(command: string, words: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(command, words, {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    env: { ...process.env, OMP_NUM_THREADS: '1' },
  });
  if (status !== 0) throw new Error(`${command} ${words.join(' ')} failed: ${stderr}`);
  return stdout;
}

function recorded(folder: string, { command }: Program, flags: readonly string[]): Figures {
  const out = join(folder, 'run.hw');
  rmSync(out, { recursive: true, force: true });
  const words = ['record', '-q', '--force', '--before', '0.5', '--after', '0.5', '-o', out];
  output(process.execPath, [CLI, ...words, ...flags, '--', ...command]);
  const report = JSON.parse(output(process.execPath, [CLI, 'report', '--json', out])) as Report;
  const { trend, verdict } = report.leak;
  const perIteration = trend?.over === 'iterations' ? (trend.slope.bytes ?? 0) : 0;
  const heaps = [0, 1, 2, 3, 4, 5].filter((n) => existsSync(join(out, 'heap', String(n)))).length;
  return {
    peak: report.headline!.bytes,
    growth: perIteration * TURNS,
    verdict,
    heaps,
  };
}

/** What may differ, and by how much it did. */
function compared(plain: readonly number[], heap: readonly number[]) {
  const [usual, taken] = [median(plain), median(heap)];
  const spread = Math.max(...plain) - Math.min(...plain);
  const allowed = Math.max(spread, SHARE * Math.abs(usual), LEAST);
  return { usual, taken, spread, allowed, holds: Math.abs(taken - usual) <= allowed };
}

const mib = (bytes: number) => (bytes / MiB).toFixed(1);
const all: object[] = [];
const rows = [
  [
    'program',
    'peak',
    'with heaps',
    'plain spread',
    'growth',
    'with heaps',
    'plain spread',
    'heaps',
    'verdicts',
    '',
  ],
];
let over = 0;
const folder = mkdtempSync(join(tmpdir(), 'highwater-bench-'));
for (const program of programs()) {
  const [plain, heap]: [Figures[], Figures[]] = [[], []];
  for (let pair = 0; pair < Number(given.pairs); pair++) {
    const turns = [
      () => plain.push(recorded(folder, program, [])),
      () => heap.push(recorded(folder, program, ['--heap', '3'])),
    ];
    for (const turn of pair % 2 === 0 ? turns : turns.reverse()) turn();
  }
  const of = (key: 'peak' | 'growth') =>
    compared(
      plain.map((one) => one[key]),
      heap.map((one) => one[key]),
    );
  const [peak, growth] = [of('peak'), of('growth')];
  const verdicts = [plain, heap].map((some) =>
    [...new Set(some.map(({ verdict }) => verdict))].join('/'),
  );
  const holds = peak.holds && growth.holds;
  if (!holds) over++;
  rows.push([
    program.name,
    ...[peak, growth].flatMap(({ usual, taken, spread }) => [usual, taken, spread].map(mib)),
    String(median(heap.map(({ heaps }) => heaps))),
    verdicts[0] === verdicts[1] ? verdicts[0]! : verdicts.join(' → '),
    holds ? 'holds' : 'DIFFERS',
  ]);
  all.push({ program: program.name, plain, heap });
  process.stderr.write(`${rows.at(-1)!.join('  ')}\n`);
  if (given.json) writeFileSync(given.json, JSON.stringify(all, null, 1));
}
rmSync(folder, { recursive: true });
console.log(`MiB; ${given.pairs} pairs each\n${alignColumns(rows).join('\n')}`);
console.log(
  over === 0
    ? `all ${rows.length - 1} hold`
    : `${over} of ${rows.length - 1} differ by more than plain runs, 1 % or ${LEAST / KiB} KiB`,
);
process.exitCode = over === 0 ? 0 : 1;
