import { mkdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describeError } from '../base/errors.ts';
import type { HeapInfo } from '../model/run.ts';
import { askAgent } from '../sources/agent/ask.ts';
import { type Language, languageOf, NodeHeaps, takesSignal } from '../sources/inspector/index.ts';
import { readText } from '../sources/proc.ts';
import { HeapSchedule } from './heap-schedule.ts';
import type { RunKeeper } from './run-keeper.ts';

const PATIENCE_MS = 600_000;

export interface HeapWishes {
  /** Heaps to have at the end. */
  readonly count: number;
  readonly durationSeconds: number | null;
  readonly maxDisk: number;
}

/**
 * Takes heaps of the largest Node or Python program of a workload while it runs, and lists them in
 * run.json. What fails is said once, and the run goes on.
 */
export class HeapWatch {
  readonly #wishes: HeapWishes;
  readonly #keeper: RunKeeper;
  readonly #pids: () => Iterable<number>;
  readonly #now: () => number;
  readonly #schedule: HeapSchedule;
  #timer: NodeJS.Timeout | undefined;
  #node: NodeHeaps | null = null;
  #busy: Promise<void> = Promise.resolve();
  #number = 0;
  #start = 0;
  #ended = false;

  /** `now`: ns since the recording's start. */
  constructor(
    wishes: HeapWishes,
    keeper: RunKeeper,
    pids: () => Iterable<number>,
    now: () => number,
  ) {
    this.#wishes = wishes;
    this.#keeper = keeper;
    this.#pids = pids;
    this.#now = now;
    this.#schedule = new HeapSchedule(wishes.count, wishes.durationSeconds);
  }

  start(): void {
    this.#start = this.#now();
    this.#keeper.run.heaps = [];
    this.#plan();
  }

  /** The workload ended: what is under way fails by itself. */
  async stop(): Promise<void> {
    this.#ended = true;
    clearTimeout(this.#timer);
    await this.#busy;
    await this.#node?.close();
    if (this.#keeper.run.heaps?.length === 0) {
      const reason = 'it ended before one could be taken, or no Node or Python program was there';
      this.#keeper.warn(`no heap of the run: ${reason}`);
    }
  }

  #plan(): void {
    if (this.#ended) return;
    const wait = this.#schedule.next() - (this.#now() - this.#start) / 1e9;
    this.#timer = setTimeout(() => {
      this.#busy = this.#take();
    }, Math.max(0, wait) * 1000);
    this.#timer.unref();
  }

  async #take(): Promise<void> {
    const begun = this.#now();
    const second = (ns: number) => (ns - this.#start) / 1e9;
    const target = this.#target();
    if (target) {
      const folder = `heap/${this.#number++}`;
      try {
        mkdirSync(join(this.#keeper.folder, folder), { recursive: true });
        const file = await this.#write(target, folder);
        const { size: bytes } = statSync(join(this.#keeper.folder, file));
        this.#note({ file, ns: begun, ...target, bytes });
      } catch (error) {
        rmSync(join(this.#keeper.folder, folder), { recursive: true, force: true });
        if (!this.#ended) this.#keeper.warn(`no more heaps are taken: ${describeError(error)}`);
        return;
      }
      this.#drop(this.#schedule.taken(second(begun), (this.#now() - begun) / 1e9));
    } else {
      this.#schedule.missed(second(begun));
    }
    this.#plan();
  }

  /** The process that holds most, and stays it: heaps of two programs cannot be compared. */
  #target(): { pid: number; runtime: HeapInfo['runtime'] } | null {
    if (this.#node) return { pid: this.#node.pid, runtime: 'v8' };
    const known = this.#keeper.run.heaps?.at(-1);
    const found = [...this.#pids()]
      .map((pid) => ({ pid, language: languageOf(pid), size: residentOf(pid) }))
      .filter(
        (one): one is typeof one & { language: NonNullable<Language> } => one.language !== null,
      )
      .sort((a, b) => b.size - a.size);
    const chosen = found.find(({ pid }) => pid === known?.pid) ?? found[0];
    if (!chosen || (chosen.language === 'node' && !takesSignal(chosen.pid))) return null;
    return { pid: chosen.pid, runtime: chosen.language === 'node' ? 'v8' : 'python' };
  }

  async #write({ pid, runtime }: { pid: number; runtime: HeapInfo['runtime'] }, folder: string) {
    const file = `${folder}/${runtime === 'v8' ? 'v8.heapsnapshot' : 'python.hwheap'}`;
    const path = resolve(this.#keeper.folder, file);
    if (runtime === 'python') await askAgent(pid, 'heap', { file: path }, PATIENCE_MS);
    else {
      this.#node ??= await NodeHeaps.open(pid);
      await this.#node.take(path);
    }
    return file;
  }

  #note(heap: HeapInfo): void {
    const heaps = this.#keeper.run.heaps ?? [];
    const total = heaps.reduce((sum, { bytes }) => sum + bytes, heap.bytes);
    if (total > this.#wishes.maxDisk) throw new Error('they would take more than --max-disk');
    heaps.push(heap);
    this.#keeper.save();
  }

  #drop(surplus: readonly number[]): void {
    const heaps = this.#keeper.run.heaps ?? [];
    if (surplus.length === 0) return;
    const gone = new Set(surplus.map((index) => heaps[index]!));
    this.#keeper.run.heaps = heaps.filter((heap) => !gone.has(heap));
    this.#keeper.save();
    for (const { file } of gone) {
      rmSync(dirname(join(this.#keeper.folder, file)), { recursive: true, force: true });
    }
  }
}

function residentOf(pid: number): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readText(`/proc/${pid}/status`) ?? '')?.[1] ?? 0);
}
