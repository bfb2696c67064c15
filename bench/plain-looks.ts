import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { median } from '../src/base/stats.ts';
import { type Benchmark, percent } from './result.ts';
import { withFolder } from './scratch.ts';

const SCRIPT = fileURLToPath(new URL('./plain_looks.py', import.meta.url));
const CLI = fileURLToPath(new URL('../dist/cli.js', import.meta.url));
const LIMIT = 0.01;

export const plainLooks: Benchmark = {
  name: 'plain-looks',
  title: 'what looks into a Python service with a million objects add to its CPU time',
  async run({ quick }) {
    const [rounds, requests] = quick ? [3, 400_000] : [7, 1_000_000];
    const ratios: number[] = [];
    const seconds: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const ways = round % 2 === 0 ? [false, true] : [true, false];
      const took = new Map<boolean, number>();
      for (const looked of ways) took.set(looked, await secondsOf(requests, looked));
      ratios.push(took.get(true)! / took.get(false)! - 1);
      seconds.push(took.get(false)!);
    }
    const more = median(ratios);
    return [
      {
        what: 'a Python service of a million objects that grows: the looks of a plain `record`',
        figure: `${percent(more)} of ${median(seconds).toFixed(1)} s more`,
        limit: `≤ ${percent(LIMIT)}`,
        pass: more <= LIMIT,
      },
    ];
  },
};

function secondsOf(requests: number, looked: boolean): Promise<number> {
  return withFolder(async (folder) => {
    const agent = looked ? [] : ['--agent', 'off'];
    const words = [
      'record',
      '-q',
      '--before',
      '0',
      '--after',
      '0',
      ...agent,
      '-o',
      `${folder}/run.hw`,
      '--',
    ];
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [CLI, ...words, 'python3', SCRIPT, String(requests)],
      { encoding: 'utf8' },
    );
    if (status !== 0) throw new Error(`bench/plain_looks.py failed: ${stderr.trim()}`);
    return (JSON.parse(stdout) as { seconds: number }).seconds;
  });
}
