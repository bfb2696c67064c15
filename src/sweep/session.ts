import type { ChildProcess } from 'node:child_process';
import { inForeground } from '../record/workload/stream-plan.ts';
import type { SweepFolder } from './folder.ts';
import { lockFolder } from './lock.ts';
import type { Manifest, ManifestRun, RunState } from './manifest.ts';
import { writeManifest } from './manifest-file.ts';
import { type RunOptions, runOne } from './one-run.ts';
import { refuseOrphans } from './orphan.ts';
import { openSweep, type SweepWithRecordings } from './result.ts';

const ENDING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** What happens, as it happens; in which words it is told is the listener's business. */
export interface SweepListener {
  /** All runs of the sweep, and those of them that are still to do. */
  sweepBegan(all: readonly ManifestRun[], todo: readonly ManifestRun[]): void;
  runBegan(run: ManifestRun): void;
  /** With its outcome and the time that it took. */
  runEnded(run: ManifestRun): void;
  /** A signal to the sweep ended it: nothing can be said of it. */
  runInterrupted(run: ManifestRun): void;
  /** No run is under way any more, whether they are all done or something went wrong. */
  runsOver(): void;
}

export interface SweepOptions {
  readonly retryFailed: boolean;
  /** The commands' output goes to our stderr instead of a log for each run. */
  readonly showOutput: boolean;
  readonly listener: SweepListener;
  /** Draws the result into the folder; the names of the pictures there. */
  readonly draw: (opened: SweepWithRecordings) => Promise<readonly string[]>;
}

export interface SweepEnd extends SweepWithRecordings {
  /** What ended it early, if something did. */
  readonly signal: NodeJS.Signals | null;
}

/** Runs what is still to be run in a sweep's folder, then puts all of it side by side. */
export async function runSweep(
  { folder, plan, jobs, manifest }: SweepFolder,
  { retryFailed, showOutput, listener, draw }: SweepOptions,
): Promise<SweepEnd> {
  const unlock = lockFolder(folder);
  const interrupt = new Interrupt();
  try {
    refuseOrphans(folder, manifest.runs);
    interrupt.start();
    const todo = remaining(manifest, retryFailed);
    listener.sweepBegan(manifest.runs, todo);
    const options = { folder, plan, jobs, showOutput, interrupt, listener };
    const ended = await runAll(manifest, todo, options).finally(() => listener.runsOver());
    const opened = openSweep(folder, ended);
    // Pictures of an earlier `--fit` are still this folder's.
    const plots = [...new Set([...ended.plots, ...(await draw(opened))])];
    writeManifest(folder, { ...ended, plots });
    const { signal } = interrupt;
    return { ...opened, result: { ...opened.result, plots }, signal };
  } finally {
    interrupt.stop();
    unlock();
  }
}

/** What is still to be done. A failure is an answer too, and is not asked for again unless wanted. */
function remaining(manifest: Manifest, retryFailed: boolean): ManifestRun[] {
  const open: RunState[] = ['waiting', 'running', 'interrupted'];
  return manifest.runs.filter(
    (run) => open.includes(run.state) || (retryFailed && run.state === 'failed'),
  );
}

interface RunAllOptions extends Omit<RunOptions, 'onStart'> {
  readonly interrupt: Interrupt;
  readonly listener: SweepListener;
}

/** Runs them all, `jobs` at a time, and keeps the manifest on disk up to date; the last one. */
async function runAll(
  manifest: Manifest,
  todo: readonly ManifestRun[],
  options: RunAllOptions,
): Promise<Manifest> {
  const { folder, jobs, interrupt, listener } = options;
  let current = manifest;
  const note = (planned: ManifestRun, changes: Partial<ManifestRun>): ManifestRun => {
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
      listener.runBegan(run);
      const since = performance.now();
      const found = await runOne(run, { ...options, onStart: (child) => interrupt.add(child) });
      const wallSeconds = Math.round(performance.now() - since) / 1000;
      if (interrupt.signal === null) listener.runEnded(note(run, { ...found, wallSeconds }));
      else listener.runInterrupted(note(run, { ...found, state: 'interrupted' }));
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

/** A sweep that is told to end: what runs is passed the signal and finished, nothing new begins. */
class Interrupt {
  readonly #recorders = new Set<ChildProcess>();
  readonly #listener = (signal: NodeJS.Signals) => this.#on(signal);
  /** The first signal that came. */
  signal: NodeJS.Signals | null = null;

  start(): void {
    for (const signal of ENDING) process.on(signal, this.#listener);
  }

  stop(): void {
    for (const signal of ENDING) process.off(signal, this.#listener);
  }

  add(recorder: ChildProcess): void {
    this.#recorders.add(recorder);
    recorder.once('exit', () => this.#recorders.delete(recorder));
    // It came between two runs, or while this one was being started.
    if (this.signal) recorder.kill(this.signal);
  }

  #on(signal: NodeJS.Signals): void {
    this.signal ??= signal;
    // Ctrl-C reaches recorders by itself, as they share our terminal.
    if (signal === 'SIGINT' && inForeground()) return;
    for (const recorder of this.#recorders) recorder.kill(signal);
  }
}
