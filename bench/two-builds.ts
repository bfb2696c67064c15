import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { median } from '../src/base/stats.ts';
import { processes } from './recorders.ts';

/**
 * Is a build slower than the one before it? `npx tsx bench/two-builds.ts OLD NEW [ROUNDS]`, folders with a built dist/: starting, the whole
 * report of a large snapshot, and the recorder's own processor time, each build in turn, in another order each round. Medians of
 * the ratios round by round.
 */
const SNAPSHOTS = [
  '../shared/data/torch-snapshots/h200-encoder_big.pickle.gz',
  'test/fixtures/snapshots/mlp_adam5.pickle.gz',
];
const [OLD, NEW] = process.argv.slice(2, 4).map((folder) => resolve(folder));
const ROUNDS = Number(process.argv[4] ?? 5);
if (!OLD || !NEW || !(ROUNDS >= 1)) {
  console.error('usage: npx tsx bench/two-builds.ts OLD NEW [ROUNDS]');
  process.exit(2);
}
const folder = mkdtempSync(join(tmpdir(), 'highwater-bench-'));
const snapshot = resolve(SNAPSHOTS.find(existsSync)!);

const MEASURES: Readonly<Record<string, (build: string) => number>> = {
  'highwater --version, s': (build) => seconds(build, ['--version']),
  'report --json of a snapshot, s': (build) => seconds(build, ['report', '--json', snapshot]),
  'recorder, 20 idle processes at 100 Hz for 8 s, CPU s': (build) => {
    const out = join(folder, 'run.hw');
    run(build, ['record', '-q', '--force', '-o', out, '--', ...processes(20, 8, 'idle')]);
    return JSON.parse(run(build, ['report', '--json', out])).sampling.recorderCpuSeconds;
  },
};

for (const [name, measure] of Object.entries(MEASURES)) {
  const pairs = Array.from({ length: ROUNDS }, (_, round) => {
    const order = round % 2 === 0 ? [OLD, NEW] : [NEW, OLD];
    const figures = new Map(order.map((build) => [build, measure(build)]));
    return [figures.get(OLD)!, figures.get(NEW)!] as const;
  });
  const ratios = pairs.map(([before, after]) => after / before);
  const [before, after] = [0, 1].map((at) => median(pairs.map((pair) => pair[at]!)).toFixed(3));
  const range = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`;
  console.log(`${name.padEnd(56)} ${before} → ${after}, × ${median(ratios).toFixed(2)} (${range})`);
}
rmSync(folder, { recursive: true });

function run(build: string, args: readonly string[]): string {
  const command = [join(build, 'dist/cli.js'), ...args];
  const { status, stdout, stderr } = spawnSync(process.execPath, command, {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  if (status !== 0) throw new Error(`${command.join(' ')} failed: ${stderr}`);
  return stdout;
}

function seconds(build: string, args: readonly string[]): number {
  const started = performance.now();
  run(build, args);
  return (performance.now() - started) / 1000;
}
