import { shellJoin } from '../base/text.ts';
import { typedAs } from '../base/typed-as.ts';
import { drawPlots } from '../cli/commands/sweep/plots.ts';
import { Progress } from '../cli/commands/sweep/progress.ts';
import { runWords } from '../cli/commands/sweep/run-words.ts';
import type { SweepFolder } from './folder.ts';
import { Interrupt } from './interrupt.ts';
import { lockFolder } from './lock.ts';
import type { Manifest } from './manifest.ts';
import { writeManifest } from './manifest-file.ts';
import { refuseOrphans } from './orphan.ts';
import { type OpenedSweep, openSweep } from './result.ts';
import { remaining, runAll } from './runner.ts';

export interface SweepOptions {
  readonly retryFailed: boolean;
  readonly showOutput: boolean;
  readonly quiet: boolean;
}

export interface SweepEnd extends OpenedSweep {
  /** What ended it early, if something did. */
  readonly signal: NodeJS.Signals | null;
}

/** Runs what is still to be run in a sweep's folder, then puts all of it side by side. */
export async function runSweep(
  { folder, plan, jobs, manifest, continued }: SweepFolder,
  options: SweepOptions,
): Promise<SweepEnd> {
  const unlock = lockFolder(folder);
  const interrupt = new Interrupt();
  const { stderr } = process;
  const todo = remaining(manifest, options.retryFailed);
  const live = stderr.isTTY === true && !options.quiet && !options.showOutput;
  const progress = new Progress(manifest.runs, todo, {
    stream: stderr,
    jobs,
    live,
    quiet: options.quiet,
  });
  try {
    refuseOrphans(folder, manifest.runs);
    interrupt.start();
    announce(progress, manifest, todo.length, jobs, continued);
    const ended = await runAll(manifest, todo, {
      showOutput: options.showOutput,
      jobs,
      folder,
      plan,
      interrupt,
      progress,
      describe: (run) => runWords(folder, run, !options.showOutput),
    });
    progress.stop();
    const opened = openSweep(folder, ended);
    // Pictures of an earlier `--fit` are still this folder's.
    const plots = [...new Set([...ended.plots, ...(await drawPlots(opened))])];
    writeManifest(folder, { ...ended, plots });
    const { signal } = interrupt;
    return { ...opened, result: { ...opened.result, plots }, signal };
  } finally {
    progress.stop();
    interrupt.stop();
    unlock();
  }
}

function announce(
  progress: Progress,
  { runs }: Manifest,
  left: number,
  jobs: number,
  continued: boolean,
): void {
  if (continued)
    progress.say(`highwater: ${runs.length - left} of ${runs.length} runs are there already`);
  if (jobs > 1 && left > 1) {
    progress.say(
      `highwater: ${jobs} runs side by side: figures of the whole machine or of a GPU will belong to none of them alone`,
    );
  }
}

/** What to type next. */
export function nextSteps({ result, signal }: SweepEnd): string[] {
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
