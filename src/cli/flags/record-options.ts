import { UserError } from '../../base/errors.ts';
import type { RecordOptions } from '../../record/run/session.ts';
import { OWN_FAILURE } from '../../sweep/recorder.ts';
import type { RecordFlags } from './record.ts';

/** Refuses flags that do not go together, or not with what is to be recorded. */
export function checkFlags(words: readonly string[], flags: RecordFlags): void {
  if (words.length > 0 && flags.pid !== undefined) {
    throw new UserError('give a command or --pid, not both', { exitCode: OWN_FAILURE });
  }
  for (const flag of insideFlags(flags)) {
    if (words.length === 0 || flags.agent === 'off') {
      const reason = words.length === 0 ? 'a command' : 'the agent: leave --agent off out';
      throw new UserError(`${flag} needs ${reason}`, { exitCode: OWN_FAILURE });
    }
  }
  if (words.length === 0 && flags.heap !== undefined) {
    throw new UserError('--heap needs a command', {
      hint: 'highwater heap --pid takes a heap of a running program',
      exitCode: OWN_FAILURE,
    });
  }
  if (flags.live && flags.repeat > 1) {
    throw new UserError('--live shows one run, --repeat makes several', {
      hint: 'leave one of them out',
      exitCode: OWN_FAILURE,
    });
  }
  if (words.length === 0 && flags.repeat > 1) {
    throw new UserError('--repeat needs a command', { exitCode: OWN_FAILURE });
  }
}

export function toOptions(argv: readonly string[], flags: RecordFlags): RecordOptions {
  return {
    argv,
    pid: flags.pid ?? null,
    out: flags.out ?? null,
    name: flags.name ?? null,
    rateHz: flags.rate,
    beforeSeconds: flags.before,
    afterSeconds: flags.after,
    durationSeconds: flags.duration ?? null,
    memoryLimit: flags.memoryLimit ?? null,
    swapLimit: flags.swapLimit ?? null,
    maxDisk: Math.max(flags.maxDisk, 2 ** 20),
    resetPeaks: flags.exactPeaks ?? false,
    gpu: flags.gpu,
    agent: flags.agent,
    layers: flags.layers ?? false,
    sizes: flags.sizes ?? null,
    heaps: flags.heap ?? null,
    gpuLimit: flags.gpuLimit ?? null,
    markPatterns: flags.mark,
    logFile: flags.log ?? null,
    stopAfter: flags.stopAfter ?? null,
    watch: flags.watch,
    quiet: flags.quiet ?? false,
    force: flags.force ?? false,
    say: (line) => process.stderr.write(`${line}\n`),
  };
}

/** Those that are done from inside the program. */
const insideFlags = (flags: RecordFlags): string[] => [
  ...(flags.layers ? ['--layers'] : []),
  ...(flags.gpuLimit === undefined ? [] : ['--gpu-limit']),
  ...(flags.sizes === undefined ? [] : ['--sizes']),
];
