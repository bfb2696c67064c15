import { inForeground } from './stream-plan.ts';
import type { Workload } from './workload.ts';

const PASSED_ON = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'] as const;

/** Signals sent to the recorder are meant for the workload; without one they end the recording. */
export class Signals {
  readonly #onNobody: () => void;
  readonly #listener = (signal: NodeJS.Signals) => this.#on(signal);
  /** The first that came, whatever became of it. */
  first: NodeJS.Signals | null = null;
  workload: Workload | null = null;

  constructor(onNobody: () => void) {
    this.#onNobody = onNobody;
  }

  start(): void {
    for (const signal of PASSED_ON) process.on(signal, this.#listener);
  }

  stop(): void {
    for (const signal of PASSED_ON) process.off(signal, this.#listener);
  }

  #on(signal: NodeJS.Signals): void {
    this.first ??= signal;
    const { workload } = this;
    if (!workload) {
      this.#onNobody();
      return;
    }
    // Ctrl-C reaches a workload that shares our terminal by itself; a second one would cut its
    // cleaning up short.
    const typed = signal === 'SIGINT' || signal === 'SIGQUIT';
    if (typed && !workload.ownSession && inForeground()) return;
    if (!workload.kill(signal)) this.#onNobody();
  }
}
