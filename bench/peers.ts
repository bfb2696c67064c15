import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The tools that Highwater is held against, in a Python environment of the benchmarks' own. */
const VENV = fileURLToPath(new URL('../.venv-bench', import.meta.url));
const PACKAGES = { mprof: 'memory_profiler==0.61.0', psrecord: 'psrecord==1.4' } as const;

export interface Peer {
  readonly name: string;
  /** The version, or null when the tool could not be installed. */
  readonly version: string | null;
  /** Records a command at an interval, writing to a file. */
  command(out: string, intervalSeconds: number, workload: readonly string[]): string[];
  /** How many samples a file holds. */
  samples(out: string): number;
}

const countLines = (path: string, pattern: RegExp) =>
  readFileSync(path, 'utf8').match(pattern)?.length ?? 0;

const program = (name: string) => join(VENV, 'bin', name);

function mprof(flag: '--include-children' | '--multiprocess', version: string | null): Peer {
  return {
    name: `mprof ${flag}`,
    version,
    command: (out, interval, workload) => [
      ...[program('mprof'), 'run', '--nopython', flag, '--interval', String(interval)],
      ...['--output', out, ...workload],
    ],
    samples: (out) => countLines(out, /^MEM /gm),
  };
}

const psrecord = (version: string | null): Peer => ({
  name: 'psrecord --include-children',
  version,
  command: (out, interval, workload) => [
    ...[program('psrecord'), '--include-children', '--interval', String(interval), '--log', out],
    workload.join(' '),
  ],
  samples: (out) => countLines(out, /^ +\d/gm),
});

export function installPeers(): Peer[] {
  const mprofVersion = install('mprof');
  const psrecordVersion = install('psrecord');
  return [
    mprof('--include-children', mprofVersion),
    mprof('--multiprocess', mprofVersion),
    psrecord(psrecordVersion),
  ];
}

function install(tool: keyof typeof PACKAGES): string | null {
  const pinned = PACKAGES[tool];
  if (!existsSync(program('python')) && !succeeds('python3', '-m', 'venv', VENV)) return null;
  const installed =
    existsSync(program(tool)) ||
    succeeds(program('python'), '-m', 'pip', 'install', '--quiet', pinned);
  return installed ? pinned.split('==')[1]! : null;
}

function succeeds(command: string, ...words: string[]): boolean {
  return spawnSync(command, words, { stdio: ['ignore', 'ignore', 'inherit'] }).status === 0;
}
