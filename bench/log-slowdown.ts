import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { median } from '../src/base/stats.ts';
import { recordCommand, runCommand, samplingOf } from './recorders.ts';
import { type Benchmark, type Row, ratioAtMost } from './result.ts';
import { withFolder } from './scratch.ts';

const PRINTS = fileURLToPath(new URL('prints.py', import.meta.url));
const DRAIN = fileURLToPath(new URL('drain.py', import.meta.url));
/** A million a minute. */
const LINES_PER_SECOND = 16_700;
const LIMIT = 1.01;
/** Work between two lines, in turns of a loop; measured to give the rate on this machine. */
const TRIAL_WORK = 400;

type Place = 'pipe' | 'terminal';
type Kind = 'iterations' | 'ordinary';

/** Seconds for a thousand lines. */
interface Cost {
  readonly cpu: number;
  readonly wall: number;
  /** How often it had to wait or was put aside. */
  readonly switches: number;
}

export const logSlowdown: Benchmark = {
  name: 'log-slowdown',
  title: 'a busy program that prints a million lines a minute, bare and recorded, alternating',
  run: ({ quick }) =>
    withFolder(async (folder) => {
      const [pairs, seconds] = quick ? [7, 3] : [11, 10];
      const work = await calibrate(folder);
      const rows: Row[] = [];
      for (const place of ['pipe', 'terminal'] as const) {
        for (const kind of ['ordinary', 'iterations'] as const) {
          rows.push(...(await compare(folder, place, kind, work, pairs, seconds)));
        }
      }
      return rows;
    }),
};

/** How much work leaves time for that many lines. */
async function calibrate(folder: string): Promise<number> {
  const lines = LINES_PER_SECOND / 2;
  const costs = [];
  for (const work of [0, TRIAL_WORK]) {
    costs.push(await measure(folder, 'pipe', [...prints(folder, lines, work, 'ordinary')]));
  }
  const each = (costs[1]!.cpu - costs[0]!.cpu) / TRIAL_WORK;
  return Math.max(0, Math.round((1000 / LINES_PER_SECOND - costs[0]!.cpu) / each));
}

async function compare(
  folder: string,
  place: Place,
  kind: Kind,
  work: number,
  pairs: number,
  seconds: number,
): Promise<Row[]> {
  const recording = join(folder, 'run.hw');
  const workload = prints(folder, LINES_PER_SECOND * seconds, work, kind);
  const recorded = [...recordCommand(recording, 100, workload)];
  recorded.splice(3, 0, '--force');
  const [bare, under, own]: [Cost[], Cost[], number[]] = [[], [], []];
  for (let i = 0; i < pairs; i++) {
    bare.push(await measure(folder, place, workload));
    under.push(await measure(folder, place, recorded));
    own.push(samplingOf(recording).recorderCpuSeconds ?? Number.NaN);
  }
  // The best of all runs: whatever else the machine does can only add to it.
  const best = (costs: readonly Cost[], of: keyof Cost) => Math.min(...costs.map((c) => c[of]));
  const ratio = (of: keyof Cost) => best(under, of) / best(bare, of);
  const rate = 1000 / best(bare, 'wall');
  const name = `${kind} to a ${place}`;
  const figure = (of: keyof Cost) =>
    `${milliseconds(best(under, of))} to ${milliseconds(best(bare, of))} a thousand lines`;
  return [
    ratioAtMost(`${name}, CPU time`, 'bare', figure('cpu'), ratio('cpu'), LIMIT),
    ratioAtMost(`${name}, wall time`, 'bare', figure('wall'), ratio('wall'), LIMIT),
    {
      what: `${name}, switched out`,
      peer: 'bare',
      figure: `${switches(under)} to ${switches(bare)} times in a thousand lines`,
    },
    {
      what: `${name}, the recorder's own`,
      figure: `${median(own).toFixed(2)} s of CPU in ${seconds} s, its start included; ${Math.round(rate)} lines/s`,
    },
  ];
}

const switches = (costs: readonly Cost[]) => median(costs.map((c) => c.switches)).toFixed(0);
const milliseconds = (seconds: number) => `${(1000 * seconds).toFixed(2)} ms`;

const prints = (folder: string, lines: number, work: number, kind: Kind) => [
  'python3',
  PRINTS,
  String(lines),
  String(work),
  kind,
  join(folder, 'result.json'),
];

async function measure(folder: string, place: Place, command: readonly string[]): Promise<Cost> {
  const code = await runCommand(['python3', DRAIN, place, ...command]);
  if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}`);
  return JSON.parse(readFileSync(join(folder, 'result.json'), 'utf8')) as Cost;
}
