import { readFileSync } from 'node:fs';
import { installed, program } from './venv.ts';

/** A tool that samples a command's memory from outside, as Highwater does. */
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
  const mprofVersion = installed('memory_profiler==0.61.0');
  return [
    mprof('--include-children', mprofVersion),
    mprof('--multiprocess', mprofVersion),
    psrecord(installed('psrecord==1.4')),
  ];
}

/** `mprof --include-children 0.61.0` */
export const titleOf = ({ name, version }: { name: string; version: string | null }) =>
  version === null ? name : `${name} ${version}`;
