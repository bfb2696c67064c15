import { join } from 'node:path';
import { installPeers, titleOf } from './peers.ts';
import { recordCommand } from './recorders.ts';
import { installed, python } from './venv.ts';

/** A way to run a Python program: bare, or under a tool. */
export interface Way {
  /** With its version. */
  readonly title: string;
  /** False where the tool cannot be installed. */
  readonly present: boolean;
  /** The command; what the tool writes goes into the folder. */
  command(folder: string, script: readonly string[]): string[];
}

const RATE_HZ = 100;

export const PLAIN: Way = {
  title: 'plain',
  present: true,
  command: (_, script) => [python(), ...script],
};

/** As a user runs it by default, but for the quiet second before and after. */
export const OWN: Way = {
  title: 'highwater record',
  present: true,
  command: (folder, script) =>
    recordCommand(join(folder, 'run.hw'), RATE_HZ, [python(), ...script]),
};

/** The samplers at the same rate as ours; the tracers as they come, and memray with Python's own allocator. */
export function installWays(): Way[] {
  return [...samplers(), ...memray(), scalene()];
}

const samplers = () =>
  installPeers()
    .filter((peer) => !peer.name.includes('--multiprocess'))
    .map((peer) => ({
      title: titleOf(peer),
      present: peer.version !== null,
      command: (folder: string, script: readonly string[]) =>
        peer.command(join(folder, 'samples'), 1 / RATE_HZ, [python(), ...script]),
    }));

function memray(): Way[] {
  const version = installed('memray==1.20.0');
  const way = (...flags: string[]): Way => ({
    title: titleOf({ name: ['memray run', ...flags].join(' '), version }),
    present: version !== null,
    command: (folder, script) => [
      ...[python(), '-m', 'memray', 'run', '--quiet', ...flags],
      ...['--output', join(folder, 'memray.bin'), ...script],
    ],
  });
  return [way(), way('--trace-python-allocators')];
}

function scalene(): Way {
  const version = installed('scalene==2.4.0');
  return {
    title: titleOf({ name: 'scalene run', version }),
    present: version !== null,
    command: (folder, [script, ...words]) => [
      ...[python(), '-m', 'scalene', 'run', '--outfile', join(folder, 'scalene.json')],
      ...[script!, '---', ...words],
    ],
  };
}
