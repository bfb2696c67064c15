import type { Progress } from '../cli/commands/sweep/progress.ts';
import { combinationName } from './grid.ts';
import type { Interrupt } from './interrupt.ts';
import type { Manifest, RunEntry, RunState } from './manifest.ts';
import { writeManifest } from './manifest-file.ts';
import { type RunOptions, runOne } from './one-run.ts';

/** What is still to be done. A failure is an answer too, and is not asked for again unless wanted. */
export function remaining(manifest: Manifest, retryFailed: boolean): RunEntry[] {
  const open: RunState[] = ['waiting', 'running', 'interrupted'];
  return manifest.runs.filter(
    (run) => open.includes(run.state) || (retryFailed && run.state === 'failed'),
  );
}

export interface RunnerOptions extends Omit<RunOptions, 'onStart'> {
  readonly interrupt: Interrupt;
  readonly progress: Progress;
  /** How a finished run went, in a few words. */
  readonly describe: (run: RunEntry) => string;
}

/** Runs them all, `jobs` at a time, and keeps the manifest on disk up to date; the last one. */
export async function runAll(
  manifest: Manifest,
  todo: readonly RunEntry[],
  options: RunnerOptions,
): Promise<Manifest> {
  const { folder, jobs, interrupt, progress } = options;
  let current = manifest;
  const note = (planned: RunEntry, changes: Partial<RunEntry>): RunEntry => {
    const changed = { ...planned, ...changes };
    const runs = current.runs.map((run) => (run.recording === planned.recording ? changed : run));
    current = { ...current, runs, updatedAt: new Date().toISOString() };
    writeManifest(folder, current);
    return changed;
  };
  const queue = [...todo];
  const lane = async () => {
    for (let next = queue.shift(); next && !interrupt.signal; next = queue.shift()) {
      const run = note(next, { state: 'running' });
      progress.begin(run);
      const since = performance.now();
      const found = await runOne(run, { ...options, onStart: (child) => interrupt.add(child) });
      const wallSeconds = Math.round(performance.now() - since) / 1000;
      const undisturbed = interrupt.signal === null;
      const ended = note(
        run,
        undisturbed ? { ...found, wallSeconds } : { ...found, state: 'interrupted' },
      );
      if (undisturbed) progress.end(run, wallSeconds, options.describe(ended));
      else progress.say(`${combinationName(run.combination)}: interrupted`);
    }
  };
  writeManifest(folder, current);
  const lanes = Array.from({ length: Math.min(jobs, queue.length) }, () =>
    // A full disk stops all lanes, but each lets its run end first.
    lane().finally(() => queue.splice(0)),
  );
  const failure = (await Promise.allSettled(lanes)).find(({ status }) => status === 'rejected');
  if (failure?.status === 'rejected') throw failure.reason;
  return current;
}
