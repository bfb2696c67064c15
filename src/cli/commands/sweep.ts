import { constants } from 'node:os';
import type { Command } from 'commander';
import { UserError } from '../../base/errors.ts';
import { count, printable, shellJoin } from '../../base/text.ts';
import { typedAs } from '../../base/typed-as.ts';
import { resolveCommand, runName } from '../../record/run/command.ts';
import { cleanSweep } from '../../sweep/clean.ts';
import { checkCombination } from '../../sweep/fit.ts';
import { folderFor, folderToContinue, type SweepFolder } from '../../sweep/folder.ts';
import { type Param, parseParam } from '../../sweep/params.ts';
import { checkPlan, commandOf, envOf, plannedRuns, type SweepPlan } from '../../sweep/plan.ts';
import { runSweep, type SweepEnd } from '../../sweep/session.ts';
import { placeholdersIn } from '../../sweep/template.ts';
import { addFitFlags, checkFitFlags, type FitFlags } from '../flags/fit.ts';
import { argument, numberBetween, several } from '../flags/parse.ts';
import { addForwardedFlags, forwardedWords } from '../flags/record-words.ts';
import { addJsonFlags, type JsonFlags } from '../output/json.ts';
import { show, tell } from '../output/terminal.ts';
import { newCommand, runCommand } from '../verb.ts';
import { writeGpuLogs } from './sweep/gpu-logs.ts';
import { drawPlots } from './sweep/plots.ts';
import { SweepProgress } from './sweep/progress.ts';
import { fitted, sweepOutput } from './sweep/report.ts';

const EXAMPLE = `highwater sweep --param kernel=direct,im2col,fft,winograd,cudnn -- ./infer {kernel}
highwater sweep --param model=vgg16,vgg19 --param batch=1..4 --repeat 3 -- python run.py {model} --batch={batch}
highwater sweep --param batch=4,8,16,24 --stop-after 8 --fit 24GiB --at batch=48 -- python train.py --batch {batch}
highwater sweep --continue highwater-runs/infer-sweep-…    # go on where it was cut short
highwater sweep --clean highwater-runs/infer-sweep-…       # remove what it made`;

const EXIT_CODES = `
Exit code: 0 all runs went well, 1 some failed (the rest went on), 130 cut short by Ctrl-C,
2 nothing was run, 126 or 127 the command cannot be run at all.`;

/** What the user asked for; flags to forward to the recorder are among it. */
interface SweepFlags extends FitFlags, JsonFlags {
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
  readonly markdown?: true;
}

/** Records a command once for each combination of parameters, and puts the runs side by side. */
export function command(): Command {
  const declared = newCommand(
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
    .option('--markdown', 'the result for an issue or a pull request')
    .passThroughOptions();
  return addForwardedFlags(addFitFlags(addJsonFlags(declared)));
}

export function run(argv: readonly string[]): Promise<number> {
  return runCommand(command(), argv, sweep);
}

async function sweep(words: string[], flags: SweepFlags): Promise<number> {
  const recordFlags = forwardedWords({ ...flags });
  if (flags.clean !== undefined) return clean(flags.clean);
  checkFitFlags(flags);
  if (flags.continue !== undefined) {
    if (words.length > 0 || flags.param || flags.env || recordFlags.length > 0) {
      throw new UserError('--continue knows the command, its parameters and its flags already', {
        hint: `highwater sweep --continue ${flags.continue}`,
      });
    }
    return finish(folderToContinue(flags.continue, flags.jobs ?? null), flags);
  }
  const { param: params = [], env = [], repeat, name = nameOf(words) } = flags;
  const plan: SweepPlan = { name, command: words, env, params, repeat, recordFlags };
  checkPlan(plan);
  checkCombination(
    flags.at,
    plannedRuns(plan).map(({ combination }) => ({ params: combination })),
  );
  if (flags.dryRun) return dryRun(plan);
  // A program that no run will find is a typing error; one that only some miss is a result.
  if (placeholdersIn([words[0]!]).size === 0) resolveCommand(commandOf(plan, {})[0]!);
  return finish(folderFor(plan, flags.out ?? null, flags.jobs ?? 1), flags);
}

async function finish(folder: SweepFolder, flags: SweepFlags): Promise<number> {
  const { retryFailed = false, showOutput = false, quiet = false } = flags;
  const listener = new SweepProgress(folder, { stream: process.stderr, showOutput, quiet });
  const ran = await runSweep(folder, { retryFailed, showOutput, listener, draw: drawPlots });
  const { opened: end, fit } = await fitted(folder.folder, ran, flags).catch((error: unknown) => {
    // The table of what has run is worth more than an answer that cannot be given.
    if (!(error instanceof UserError)) throw error;
    tell(`highwater: ${error.message}\n`);
    return { opened: ran, fit: null };
  });
  const { result, signal } = end;
  const logs = writeGpuLogs(ran);
  show(sweepOutput(result, fit, flags));
  if (!quiet && logs.length > 0)
    tell(`Logs as nvidia-smi writes them: ${folder.folder}/${logs[0]} …\n`);
  if (!quiet) tell(`${nextSteps(end).join('\n')}\n`);
  if (signal) return 128 + constants.signals[signal];
  return result.runs.failed > 0 ? 1 : 0;
}

/** What to type next. */
function nextSteps({ result, signal }: SweepEnd): string[] {
  const say = (...words: string[]) => `  ${typedAs()} ${shellJoin(words)}`;
  if (signal) return ['Cut short. To go on:', say('sweep', '--continue', result.folder)];
  const picture = result.plots.at(-1);
  return [
    ...(picture ? [`Plot: ${shellJoin([`${result.folder}/${picture}`])}`] : []),
    'Next:',
    say('report', result.folder),
    say('compare', result.folder),
  ];
}

function dryRun(plan: SweepPlan): number {
  for (const { combination } of plannedRuns({ ...plan, repeat: 1 })) {
    const env = Object.entries(envOf(plan, combination)).map(([name, value]) => `${name}=${value}`);
    const words = [...(env.length > 0 ? ['env', ...env] : []), ...commandOf(plan, combination)];
    show(`${shellJoin(words)}\n`);
  }
  if (plan.repeat > 1) tell(`each ${plan.repeat} times\n`);
  return 0;
}

function clean(folder: string): number {
  const { removed, kept } = cleanSweep(folder);
  const things = count(removed, 'recording, log or picture', 'recordings, logs and pictures');
  show(`removed ${things}\n`);
  for (const path of kept) {
    tell(`kept, not the sweep's: ${printable(`${folder}/${path}`)}\n`);
  }
  return 0;
}

/** The script's or program's name, without what varies. */
function nameOf(words: readonly string[]): string {
  const plain = words.map((word) => word.replace(/\{[^{}]*\}/g, ''));
  return runName(plain).replace(/^[._-]+|[._-]+$/g, '') || 'run';
}

const whole = (high: number) => (text: string) =>
  Math.floor(numberBetween(1, high, 'a number of runs')(text));

/** It becomes part of a file's name. */
const sweepName = argument((text: string) => {
  if (/^\w[\w.@%+=:,-]{0,99}$/.test(text)) return text;
  throw new UserError(`'${text}' cannot be a name`, { hint: 'use letters, digits, . _ - + = , @' });
});
