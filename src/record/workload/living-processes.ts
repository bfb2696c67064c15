import { readStat } from '../../sources/proc.ts';
import type { Machine } from '../../sources/source.ts';

const GRACE_MS = 5_000;
const LOOK_MS = 50;

/** The living processes of the recorded tree, known by pid and start time. */
export class LivingProcesses {
  readonly #machine: Machine;
  readonly #startTimes = new Map<number, number>();
  /** Every pid that ever belonged here, to find them in the kernel's log. */
  readonly everSeen = new Set<number>();

  constructor(machine: Machine) {
    this.#machine = machine;
  }

  get pids(): Iterable<number> {
    return this.#startTimes.keys();
  }

  add(pid: number, startTime: number): void {
    this.#startTimes.set(pid, startTime);
    this.everSeen.add(pid);
  }

  /** One of ours among them: it ends with them, but it is not the workload's. */
  addOwn(pid: number, startTime: number): void {
    this.#startTimes.set(pid, startTime);
  }

  remove(pid: number): void {
    this.#startTimes.delete(pid);
  }

  /** Ends them all with SIGTERM; those that still live after a while get SIGKILL. */
  async end(): Promise<void> {
    this.#signal('SIGTERM');
    const deadline = performance.now() + GRACE_MS;
    while (this.#living().length > 0) {
      if (performance.now() > deadline) this.#signal('SIGKILL');
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }

  #signal(signal: 'SIGTERM' | 'SIGKILL'): void {
    for (const pid of this.#living()) {
      try {
        process.kill(pid, signal);
      } catch {}
    }
  }

  /** A pid may belong to somebody else by now: only the start time tells. */
  #living(): number[] {
    return [...this.#startTimes]
      .filter(([pid, startTime]) => {
        const stat = readStat(this.#machine.proc, pid);
        return stat !== null && stat.startTime === startTime && stat.state !== 'Z';
      })
      .map(([pid]) => pid);
  }
}
