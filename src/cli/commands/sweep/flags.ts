import type { Command } from 'commander';
import { UserError } from '../../../base/errors.ts';
import { type Param, parseParam } from '../../../sweep/params.ts';
import { addFitFlags, type FitFlags } from '../../flags/fit.ts';
import { argument, numberBetween, several } from '../../flags/parse.ts';
import { addHandedOn } from '../../flags/record-words.ts';
import { newCommand } from '../../verb.ts';

const EXAMPLE = `highwater sweep --param kernel=direct,im2col,fft,winograd,cudnn -- ./infer {kernel}
highwater sweep --param model=vgg16,vgg19 --param batch=1..4 --repeat 3 -- python run.py {model} --batch={batch}
highwater sweep --param batch=4,8,16,24 --stop-after 8 --fit 24GiB --at batch=48 -- python train.py --batch {batch}
highwater sweep --continue highwater-runs/infer-sweep-…    # go on where it was cut short
highwater sweep --clean highwater-runs/infer-sweep-…       # remove what it made`;

const EXIT_CODES = `
Exit code: 0 all runs went well, 1 some failed (the rest went on), 130 cut short by Ctrl-C,
2 nothing was run, 126 or 127 the command cannot be run at all.`;

/** What the user asked for; flags for the recorder are among it, as handedOn reads them. */
export interface SweepFlags extends FitFlags {
  readonly param?: readonly Param[];
  readonly env?: readonly string[];
  readonly out?: string;
  readonly name?: string;
  readonly repeat: number;
  readonly jobs?: number;
  readonly continue?: string;
  readonly retryFailed?: true;
  readonly clean?: string;
  readonly dryRun?: true;
  readonly showOutput?: true;
  readonly quiet?: true;
  readonly json?: true;
  readonly markdown?: true;
}

export function sweepCommand(): Command {
  const command = newCommand(
    'sweep',
    'Run a command for each combination of parameters and compare the memory of the runs.',
    EXAMPLE,
  )
    .addHelpText('after', EXIT_CODES)
    .usage('[options] --param name=value,… -- command… {name}…')
    .argument('[command...]', 'what to run; {name} is a parameter, {{name}} is {name} itself')
    .option(
      '--param <name=values>',
      'values between commas, or 1..8, or 8..64..8 (repeatable)',
      several(argument(parseParam)),
    )
    .option(
      '--env <name=value>',
      'a variable for the command; may hold {name} (repeatable)',
      several(String),
    )
    .option(
      '-o, --out <folder>',
      'where to (default: highwater-runs/<name>-sweep-<date>-<host>-<pid>)',
    )
    .option('--name <name>', 'name of the sweep (default: the script or program)', sweepName)
    .option(
      '--repeat <n>',
      'run each combination n times, to tell differences from noise',
      whole(10_000),
      1,
    )
    .option('--jobs <n>', 'runs side by side (default: 1); for work without a GPU', whole(1024))
    .option('--continue <folder>', 'go on with a sweep that was cut short')
    .option('--retry-failed', 'when going on, run again what failed before')
    .option('--clean <folder>', 'remove what a sweep made, and nothing else')
    .option('--dry-run', 'only list the commands')
    .option('--show-output', "show the commands' output instead of keeping it in logs")
    .option('-q, --quiet', 'no progress')
    .option('--json', 'the result for programs')
    .option('--markdown', 'the result for an issue or a pull request')
    .passThroughOptions();
  return addHandedOn(addFitFlags(command));
}

const whole = (high: number) => (text: string) =>
  Math.floor(numberBetween(1, high, 'a number of runs')(text));

/** It becomes part of a file's name. */
const sweepName = argument((text: string) => {
  if (/^\w[\w.@%+=:,-]{0,99}$/.test(text)) return text;
  throw new UserError(`'${text}' cannot be a name`, { hint: 'use letters, digits, . _ - + = , @' });
});
