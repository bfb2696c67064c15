import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { median } from '../src/base/stats.ts';
import { torchPython } from '../test/support/torch.ts';
import { type Benchmark, percent, type Row } from './result.ts';
import { withFolder } from './scratch.ts';

const SCRIPT = fileURLToPath(new URL('./short_steps.py', import.meta.url));
const CLI = fileURLToPath(new URL('../dist/cli.js', import.meta.url));
/** Of a step. */
const LIMIT = 0.05;
const MODELS = ['gpt', 'resnet'] as const;

interface Windows {
  /** Milliseconds a step, window by window, the two by turns. */
  readonly with: readonly number[];
  readonly without: readonly number[];
}

export const shortSteps: Benchmark = {
  name: 'short-steps',
  title: 'what `record --layers` adds to steps of a few milliseconds',
  minutes: 2,
  async run({ quick }) {
    const python = torchPython();
    if (!python) return [{ what: 'torch is absent: nothing measured', figure: '' }];
    const rows: Row[] = [];
    for (const model of MODELS) rows.push(rowOf(model, await windowsOf(python, model, quick)));
    return rows;
  },
};

/** Each window against its neighbour: a busy machine slows both alike. */
function rowOf(model: string, { with: on, without: off }: Windows): Row {
  const more = median(on.map((value, i) => value / off[i]! - 1));
  return {
    what: `${model}, ${median(off).toFixed(1)} ms a step`,
    figure: `${percent(more)} more with --layers`,
    limit: `≤ ${percent(LIMIT)}`,
    pass: more <= LIMIT,
  };
}

function windowsOf(python: string, model: string, quick: boolean): Promise<Windows> {
  return withFolder(async (folder) => {
    const out = join(folder, 'run.hw');
    const record = ['record', '-q', '--before', '0', '--after', '0', '--layers', '-o', out, '--'];
    const train = [python, SCRIPT, model, '--rounds', quick ? '8' : '24'];
    const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, ...record, ...train], {
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`bench/short_steps.py failed: ${stderr.trim()}`);
    return JSON.parse(stdout) as Windows;
  });
}
