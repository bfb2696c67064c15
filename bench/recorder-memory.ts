import { spawn } from 'node:child_process';
import { MiB } from '../src/base/bytes.ts';
import { type MemoryLevel, runModule } from './child.ts';
import { processes } from './recorders.ts';
import type { Benchmark, Row } from './result.ts';

const GROWTH = 1.1;
const SLACK_BYTES = 8 * MiB;

export const recorderMemory: Benchmark = {
  name: 'recorder-memory',
  title: 'memory of the recorder over a long recording (real reads, a clock that does not wait)',
  minutes: 2,
  async run({ quick }) {
    const ticks = quick ? 100_000 : 1_000_000;
    // Small enough that the recording is folded several times on the way.
    const maxBytes = quick ? 32 * MiB : 256 * MiB;
    const [program, ...words] = processes(3, 3600, 'idle') as [string, ...string[]];
    const workload = spawn(program, words, { stdio: 'ignore', detached: true });
    try {
      await new Promise((resolve) => setTimeout(resolve, 500));
      const { levels, bytes, folds } = await runModule<{
        levels: MemoryLevel[];
        bytes: number;
        folds: number;
      }>('./long-recording.ts', workload.pid!, ticks, maxBytes);
      return [
        { what: 'samples taken', figure: `${ticks}, of 3 processes and the host` },
        { what: 'recording', figure: `${mib(bytes)} after ${folds} folds` },
        ...levels.map((level, i) => describe(`at ${10 * (i + 1)} %`, level)),
        judge('heap and buffers', levels, (level) => level.heap + level.external),
        judge('resident', levels, (level) => level.rss),
      ];
    } finally {
      process.kill(-workload.pid!, 'SIGKILL');
    }
  },
};

const mib = (bytes: number) => `${(bytes / MiB).toFixed(1)} MiB`;

function describe(what: string, { rss, heap, external }: MemoryLevel): Row {
  const figure = `resident ${mib(rss)}, heap ${mib(heap)}, buffers ${mib(external)}`;
  return { what, figure };
}

/** The last quarter against the second: the first still fills caches. */
function judge(
  what: string,
  levels: readonly MemoryLevel[],
  of: (level: MemoryLevel) => number,
): Row {
  const quarter = (n: number) =>
    Math.max(...levels.filter((_, i) => Math.floor((4 * i) / levels.length) === n).map(of));
  const [before, after] = [quarter(1), quarter(3)];
  const limit = GROWTH * before + SLACK_BYTES;
  return {
    what: `${what}: last quarter`,
    peer: 'second quarter',
    figure: mib(after),
    theirs: mib(before),
    ratio: after / before,
    limit: `≤ ${mib(limit)}`,
    pass: after <= limit,
  };
}
