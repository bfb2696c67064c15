import type { ToSampler } from '../threads/messages.ts';

/** Longer than this nobody waits for a heap when the program itself has ended. */
const MOST_WAIT_MS = 60_000;

interface Heeders {
  /** Proportional sizes mean nothing while a fork of ours shares the program's pages. */
  readonly pss: {
    hold(): void;
    release(): void;
    addOwn(pid: number): void;
    removeOwn(pid: number): void;
  };
  readonly processes: { addOwn(pid: number, startTime: number): void; remove(pid: number): void };
  readonly group: { moveOut(pid: number): void };
  send(message: ToSampler): void;
}

/** Our own work among the workload's processes: everybody who measures them is told, so that it is not taken for theirs. */
export class OwnWorkWatch {
  readonly #heeders: Heeders;
  readonly #living = new Set<number>();
  /** Processes that we work inside of, by their own account. */
  readonly #inside = new Set<number>();
  readonly #onInside = new Map<number, () => void>();
  #onNone: (() => void)[] = [];

  constructor(heeders: Heeders) {
    this.#heeders = heeders;
  }

  born(pid: number, startTime: number): void {
    const { group, processes, pss } = this.#heeders;
    this.#living.add(pid);
    group.moveOut(pid);
    processes.addOwn(pid, startTime);
    pss.addOwn(pid);
  }

  died(pid: number): void {
    const { processes, pss } = this.#heeders;
    this.#living.delete(pid);
    processes.remove(pid);
    pss.removeOwn(pid);
    if (this.#living.size > 0) return;
    for (const tell of this.#onNone.splice(0)) tell();
  }

  /** A process says that our work inside of it begins: it stands still from now on. */
  begins(pid: number): void {
    const { pss, send } = this.#heeders;
    if (this.#inside.has(pid)) return;
    this.#inside.add(pid);
    pss.hold();
    send({ type: 'own', pid, where: 'inside', begins: true });
    this.#onInside.get(pid)?.();
  }

  /** That it ended, or that the process did. */
  ends(pid: number, left?: number): void {
    const { pss, send } = this.#heeders;
    if (!this.#inside.delete(pid)) return;
    send({ type: 'own', pid, where: 'inside', begins: false, ...(left !== undefined && { left }) });
    pss.release();
  }

  /** Work inside of a process that says itself when it begins; `heeded` is called when all who measure know. */
  async inside<T>(pid: number, heeded: () => void, work: () => Promise<T>): Promise<T> {
    this.#onInside.set(pid, heeded);
    try {
      return await work();
    } finally {
      this.#onInside.delete(pid);
    }
  }

  /** Announces work in a fork of a process. */
  async beside<T>(pid: number, work: () => Promise<T>): Promise<T> {
    const { pss, send } = this.#heeders;
    pss.hold();
    send({ type: 'own', pid, where: 'beside', begins: true });
    try {
      return await work();
    } finally {
      send({ type: 'own', pid, where: 'beside', begins: false });
      pss.release();
    }
  }

  /** When none of our processes is left, or after a time. */
  async none(): Promise<void> {
    if (this.#living.size === 0) return;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, MOST_WAIT_MS);
    });
    await Promise.race([new Promise<void>((resolve) => this.#onNone.push(resolve)), late]);
    clearTimeout(timer);
  }
}
