import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { median } from '../src/base/stats.ts';
import { recordCommand } from './recorders.ts';
import { type Benchmark, ratioAtMost } from './result.ts';
import { withFolder } from './scratch.ts';

/** Output is passed on at 0.3 times the pace of `| cat` or more. */
const LIMIT = 1 / 0.3;

/** What no recorder can find a mark in, but has to pass on. */
const OUTPUTS: Readonly<Record<string, (bytes: number) => Buffer>> = {
  'random bytes': (bytes) => randomBytes(bytes),
  'an array of floats': (bytes) =>
    Buffer.from(Float64Array.from({ length: bytes / 8 }, (_, i) => Math.sin(i)).buffer),
  'one line without an end': (bytes) => Buffer.alloc(bytes, 'x'),
  'lines of 200 kB': (bytes) => Buffer.alloc(bytes, `${'y'.repeat(200_000)}\n`),
};

export const relay: Benchmark = {
  name: 'relay',
  title: 'output to a pipe that is no text or has long lines, recorded and through cat by turns',
  minutes: 1,
  run: ({ quick }) =>
    withFolder(async (folder) => {
      const bytes = quick ? 48e6 : 160e6;
      const file = join(folder, 'output');
      const recorded = recordCommand(join(folder, 'run.hw'), 100, ['cat', file], '--force');
      const rows = [];
      for (const [what, make] of Object.entries(OUTPUTS)) {
        writeFileSync(file, make(bytes));
        const pairs: [number, number][] = [];
        for (let round = 0; round < (quick ? 3 : 7); round++) {
          const ours = await passedOn(recorded, bytes);
          pairs.push([ours, await passedOn(['sh', '-c', `cat ${file} | cat`], bytes)]);
        }
        const [ours, theirs] = [0, 1].map((side) => median(pairs.map((pair) => pair[side]!)));
        const pace = (seconds: number) => `${(bytes / 1e6 / seconds).toFixed(0)} MB/s`;
        const ratio = median(pairs.map(([a, b]) => a / b));
        const row = ratioAtMost(`${what}, time`, '| cat', pace(ours!), ratio, LIMIT);
        rows.push({ ...row, theirs: pace(theirs!), limit: '≤ 3.33×' });
      }
      return rows;
    }),
};

/** Seconds from the first byte to the last: a start is paid once, whatever follows. */
function passedOn(command: readonly string[], bytes: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(command[0]!, command.slice(1), { stdio: ['ignore', 'pipe', 'inherit'] });
    let [seen, first] = [0, 0];
    child.stdout.on('data', (chunk: Buffer) => {
      first ||= performance.now();
      seen += chunk.length;
      if (seen >= bytes) resolve((performance.now() - first) / 1000);
    });
    child.on('error', reject);
    child.on('close', () => {
      if (seen < bytes) reject(new Error(`${command.join(' ')} passed on ${seen} of ${bytes}`));
    });
  });
}
