import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { median } from '../src/base/stats.ts';
import { torchPython } from '../test/support/torch.ts';
import { type Benchmark, percent, type Row } from './result.ts';
import { withFolder } from './scratch.ts';

const SCRIPT = fileURLToPath(new URL('./injection.py', import.meta.url));
const CLI = fileURLToPath(new URL('../dist/cli.js', import.meta.url));
const LIMIT = 0.02;
const BATCH = { cpu: 8, cuda: 32 } as const;
/** Judged is the default; `--layers` is asked for, and its price only printed. */
const WAYS = {
  'no agent': ['--agent', 'off'],
  'the default agent': [],
  'with --layers': ['--layers'],
} as const;
type Way = keyof typeof WAYS;

export const injection: Benchmark = {
  name: 'injection',
  title: 'what the agent of a plain `record` adds to a step of ResNet-50',
  async run({ quick }) {
    const python = torchPython();
    if (!python) return [{ what: 'torch is absent: nothing measured', figure: '' }];
    const ask = 'import sys, torch; sys.exit(not torch.cuda.is_available())';
    const gpu = spawnSync(python, ['-c', ask]).status === 0;
    const devices = gpu ? (['cpu', 'cuda'] as const) : (['cpu'] as const);
    const rows: Row[] = [];
    for (const device of devices) rows.push(...(await measure(python, device, quick)));
    return rows;
  },
};

/** The ways take turns, so that a busy machine slows all of them alike; each round is held against its own. */
async function measure(python: string, device: 'cpu' | 'cuda', quick: boolean): Promise<Row[]> {
  const [rounds, steps] = device === 'cuda' ? [5, 400] : quick ? [3, 6] : [6, 20];
  const ways = Object.keys(WAYS) as Way[];
  const found = new Map<Way, number[]>(ways.map((way) => [way, []]));
  for (let round = 0; round < rounds; round++) {
    const order = [...ways.slice(round % ways.length), ...ways.slice(0, round % ways.length)];
    for (const way of order) found.get(way)!.push(await secondsOf(python, device, steps, way));
  }
  const plain = found.get('no agent')!;
  return ways.map((way) => {
    const seconds = found.get(way)!;
    const more = median(seconds.map((value, i) => value / plain[i]! - 1));
    const shown = way === 'no agent' ? '' : `, ${percent(more)} more`;
    return {
      what: `${device}, batch ${BATCH[device]}: ${way}`,
      figure: `${(1000 * median(seconds)).toFixed(1)} ms a step${shown}`,
      ...(way === 'the default agent' && { limit: `≤ ${percent(LIMIT)}`, pass: more <= LIMIT }),
    };
  });
}

function secondsOf(
  python: string,
  device: 'cpu' | 'cuda',
  steps: number,
  way: Way,
): Promise<number> {
  return withFolder(async (folder) => {
    const out = join(folder, 'run.hw');
    const record = ['record', '-q', '--before', '0', '--after', '0', ...WAYS[way], '-o', out, '--'];
    const train = [python, SCRIPT, '--device', device, '--batch', BATCH[device], '--steps', steps];
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [CLI, ...record, ...train].map(String),
      { encoding: 'utf8' },
    );
    if (status !== 0) throw new Error(`bench/injection.py failed: ${stderr.trim()}`);
    return (JSON.parse(stdout) as { seconds: number }).seconds;
  });
}
