import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { torchPython } from '../test/support/torch.ts';
import { type Benchmark, percent, type Row } from './result.ts';

const SCRIPT = fileURLToPath(new URL('./profiler.py', import.meta.url));
/** Of a step, with the figures of each fifth iteration printed and written. */
const LIMITS = { cpu: 0.05, cuda: 0.03 } as const;
const BATCH = { cpu: 8, cuda: 32 } as const;
const JUDGED = 'highwater, a table every 5';
const PEER = 'torch.profiler';

interface Answer {
  readonly torch: string;
  /** Of a step, for each way. */
  readonly seconds: Record<string, number>;
  /** Share of a plain step that it adds. */
  readonly more: Record<string, number>;
}

export const profiler: Benchmark = {
  name: 'profiler',
  title: 'what the layer profiler adds to a step of ResNet-50',
  minutes: 3,
  async run({ quick }) {
    const python = torchPython();
    if (!python) return [{ what: 'torch is absent: nothing measured', figure: '' }];
    const gpu = spawnSync(python, [
      '-c',
      'import sys, torch; sys.exit(not torch.cuda.is_available())',
    ]);
    return gpu.status === 0
      ? [...measure(python, 'cpu', quick), ...measure(python, 'cuda', quick)]
      : measure(python, 'cpu', quick);
  },
};

function measure(python: string, device: 'cpu' | 'cuda', quick: boolean): Row[] {
  // On a GPU long enough that iterations which are followed layer by layer come with their share.
  const [rounds, steps] = device === 'cuda' ? [3, 300] : quick ? [3, 2] : [6, 5];
  const words = [SCRIPT, '--device', device, '--batch', BATCH[device]];
  const { status, stdout, stderr } = spawnSync(
    python,
    [...words, '--rounds', rounds, '--steps', steps].map(String),
    { encoding: 'utf8' },
  );
  if (status !== 0)
    throw new Error(`bench/profiler.py failed: ${stderr.trim().split('\n').at(-1)}`);
  const { torch, seconds, more } = JSON.parse(stdout) as Answer;
  const limit = LIMITS[device];
  const shown = (way: string) =>
    `${(1000 * seconds[way]!).toFixed(1)} ms a step, ${percent(more[way]!)} more`;
  return Object.keys(seconds).map((way) => ({
    what: `${device}, batch ${BATCH[device]}: ${way}`,
    figure: shown(way),
    ...(way === JUDGED && {
      peer: `${PEER} ${torch}`,
      theirs: shown(PEER),
      ratio: seconds[way]! / seconds[PEER]!,
      limit: `≤ ${percent(limit)} more`,
      pass: more[way]! <= limit,
    }),
  }));
}
