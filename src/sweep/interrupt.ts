import type { ChildProcess } from 'node:child_process';
import { inForeground } from '../record/workload/stream-plan.ts';

const ENDING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** A sweep that is told to end: what runs is passed the signal and finished, nothing new begins. */
export class Interrupt {
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
