import { constants } from 'node:os';
import { UserError } from '../../base/errors.ts';
import { count, printable, shellJoin } from '../../base/text.ts';
import { typedAs } from '../../base/typed-as.ts';
import { resolveCommand, runName } from '../../record/run/command.ts';
import { cleanSweep } from '../../sweep/clean.ts';
import { checkCombination } from '../../sweep/fit.ts';
import { folderFor, folderToContinue, type SweepFolder } from '../../sweep/folder.ts';
import { checkPlan, commandOf, envOf, plannedRuns, type SweepPlan } from '../../sweep/plan.ts';
import { runSweep, type SweepEnd } from '../../sweep/session.ts';
import { placeholdersIn } from '../../sweep/template.ts';
import { checkFitFlags } from '../flags/fit.ts';
import { handedOn } from '../flags/record-words.ts';
import { runCommand } from '../verb.ts';
import { type SweepFlags, sweepCommand } from './sweep/flags.ts';
import { drawPlots } from './sweep/plots.ts';
import { SweepProgress } from './sweep/progress.ts';
import { fitted, sweepOutput } from './sweep/report.ts';

/** Records a command once for each combination of parameters, and puts the runs side by side. */
export { sweepCommand as command };

export function run(argv: readonly string[]): Promise<number> {
  return runCommand(sweepCommand(), argv, sweep);
}

async function sweep(words: string[], flags: SweepFlags): Promise<number> {
  const recordFlags = handedOn({ ...flags });
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
    process.stderr.write(`highwater: ${error.message}\n`);
    return { opened: ran, fit: null };
  });
  const { result, signal } = end;
  process.stdout.write(sweepOutput(result, fit, flags));
  if (!quiet) process.stderr.write(`${nextSteps(end).join('\n')}\n`);
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
    process.stdout.write(`${shellJoin(words)}\n`);
  }
  if (plan.repeat > 1) process.stderr.write(`each ${plan.repeat} times\n`);
  return 0;
}

function clean(folder: string): number {
  const { removed, kept } = cleanSweep(folder);
  const things = count(removed, 'recording, log or picture', 'recordings, logs and pictures');
  process.stdout.write(`removed ${things}\n`);
  for (const path of kept) {
    process.stderr.write(`kept, not the sweep's: ${printable(`${folder}/${path}`)}\n`);
  }
  return 0;
}

/** The script's or program's name, without what varies. */
function nameOf(words: readonly string[]): string {
  const plain = words.map((word) => word.replace(/\{[^{}]*\}/g, ''));
  return runName(plain).replace(/^[._-]+|[._-]+$/g, '') || 'run';
}
