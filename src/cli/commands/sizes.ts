import type { Command } from 'commander';
import { sizesVerdict } from '../../analyses/verdict/others.ts';
import { UserError } from '../../base/errors.ts';
import { type SizedProcess, type SizesResult, sizesText } from '../../views/sizes.ts';
import { parseSizesMoment } from '../flags/moment.ts';
import { argument, pidNumber } from '../flags/parse.ts';
import { addJsonFlags, answerJson, type JsonFlags } from '../output/json.ts';
import { show } from '../output/terminal.ts';
import { newCommand, runCommand } from '../verb.ts';

const EXAMPLE = `highwater sizes -- python train.py --epochs 1
highwater sizes --at iteration=20 -- python train.py
highwater sizes --pid 4242`;

interface Flags extends JsonFlags {
  pid?: number;
  attach: boolean;
  at: string;
  baseline: boolean;
  from?: string;
  out?: string;
}

/** The size of a process against what explains it: code, objects, arrays. */
export function command(): Command {
  const declared = newCommand(
    'sizes',
    "A process's size against what explains it: code and libraries, objects, arrays.",
    EXAMPLE,
  )
    .usage('[options] [--] [command...]')
    .argument(
      '[command...]',
      'what to run; its output goes to stderr, its exit code passes through',
    )
    .option('--pid <pid>', 'a process that runs already', pidNumber)
    .option('--no-attach', 'ask an agent only: attach no debugger to a Python program without one')
    .option('--from <recording>', 'what the processes of a recording told (record --sizes)')
    .option('--at <moment>', 'when: exit, or iteration=N', argument(parseSizesMoment), 'exit')
    .option(
      '--no-baseline',
      'do not import the same libraries in a fresh Python to see what they take',
    )
    .option('-o, --out <folder>', "keep the command's recording there")
    .passThroughOptions();
  return addJsonFlags(declared);
}

export function run(argv: readonly string[]): Promise<number> {
  return runCommand(command(), argv, showSizes);
}

async function showSizes(words: string[], flags: Flags): Promise<number> {
  const { processes, exitCode } = await sizes(words, flags);
  const result: SizesResult = { type: 'sizes', schemaVersion: 1, processes };
  show(
    flags.json
      ? answerJson({ ...result, verdict: sizesVerdict(result) }, flags)
      : sizesText(result),
  );
  return exitCode;
}

async function sizes(
  words: readonly string[],
  { pid, attach, from, at, baseline, out }: Flags,
): Promise<{ processes: readonly SizedProcess[]; exitCode: number }> {
  const subjects = [pid !== undefined, from !== undefined, words.length > 0].filter(Boolean);
  if (subjects.length !== 1) {
    throw new UserError('give a command or --pid (or --from)', {
      hint: 'highwater sizes -- python train.py',
    });
  }
  if (pid !== undefined) {
    const { sizesOfPid } = await import('./sizes/of-pid.ts');
    return { processes: [await sizesOfPid(pid, { baseline, attach })], exitCode: 0 };
  }
  const { sizesOfCommand, sizesOfRecording } = await import('./sizes/of-command.ts');
  if (from !== undefined) {
    return { processes: await sizesOfRecording(from, at, baseline), exitCode: 0 };
  }
  return sizesOfCommand(words, { at, baseline, out: out ?? null });
}
