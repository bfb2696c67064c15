import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describeError } from '../../base/errors.ts';
import { count } from '../../base/text.ts';
import type { HeapInfo } from '../../model/run.ts';
import { answersTo, askAgent } from '../../sources/agent/ask.ts';
import { languageOf } from '../../sources/inspector/index.ts';
import { readText } from '../../sources/proc.ts';
import { whySilent } from '../agents/why-silent.ts';
import type { RunFile } from '../run/run-file.ts';
import { HeapSchedule } from './heap-schedule.ts';
import type { OwnWorkWatch } from './own-work.ts';

const PATIENCE_MS = 600_000;

export interface HeapWatchOptions {
  /** Heaps to have at the end. */
  readonly count: number;
  readonly durationSeconds: number | null;
  readonly maxDisk: number;
}

class DiskLimit extends Error {}

type Target = Pick<HeapInfo, 'pid' | 'runtime'>;

/** Whose heap is taken, and how; tests have their own. */
interface HeapWay {
  find(): Promise<Target | null>;
  write(target: Target, path: string): Promise<void>;
}

/**
 * Takes heaps of the largest Node or Python program of a workload while it runs, and lists them in
 * run.json. What fails is said once and tried again, more and more rarely; the run goes on.
 */
export class HeapWatch {
  readonly #options: HeapWatchOptions;
  readonly #runFile: RunFile;
  readonly #pids: () => Iterable<number>;
  readonly #now: () => number;
  readonly #ownWork: OwnWorkWatch;
  readonly #schedule: HeapSchedule;
  readonly #way: HeapWay;
  #timer: NodeJS.Timeout | undefined;
  #busy: Promise<void> = Promise.resolve();
  #number = 0;
  #start = 0;
  #ended = false;
  /** Of a program that no agent spoke in: why, as far as it is known. */
  #silent: string | null = null;
  /** Tries in a row that failed, and what was said of them. */
  #failures = 0;
  readonly #said = new Set<string>();

  /** `now`: ns since the recording's start. */
  constructor(
    options: HeapWatchOptions,
    runFile: RunFile,
    pids: () => Iterable<number>,
    now: () => number,
    ownWork: OwnWorkWatch,
    way?: HeapWay,
  ) {
    this.#way = way ?? {
      find: () => this.#largest(),
      write: (target, path) => this.#written(target, path),
    };
    this.#options = options;
    this.#runFile = runFile;
    this.#pids = pids;
    this.#now = now;
    this.#ownWork = ownWork;
    this.#schedule = new HeapSchedule(options.count, options.durationSeconds);
  }

  start(): void {
    this.#start = this.#now();
    this.#runFile.run.heaps = [];
    this.#plan();
  }

  /** The workload ended: what is under way fails by itself. */
  async stop(): Promise<void> {
    this.#ended = true;
    clearTimeout(this.#timer);
    await this.#busy;
    this.#sayWhatIsMissing();
  }

  #sayWhatIsMissing(): void {
    const taken = this.#runFile.run.heaps?.length ?? 0;
    const { count: wanted, durationSeconds } = this.#options;
    if (taken === 0) {
      const failed = this.#failures > 0 ? `taking one failed ${this.#failures} times` : null;
      const reason =
        failed ??
        this.#silent ??
        'it ended before one could be taken, or no Node or Python program was there';
      this.#runFile.warn(`no heap of the run: ${reason}`);
    } else if (taken < wanted && this.#failures === 0) {
      const when =
        durationSeconds === null ? ': the first is taken after 3 s, the next 3 s later' : '';
      this.#runFile.warn(
        `${taken} of ${count(wanted, 'heap')} taken: the program ended before the next one was due${when}`,
      );
    } else if (taken < wanted) {
      this.#runFile.warn(`${taken} of ${count(wanted, 'heap')} taken`);
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
    const target = await this.#way.find();
    if (this.#ended) return;
    // Python goes on while a fork of it is written down: then it is enough to rest as long as that took.
    const share = target?.runtime === 'python' ? 0.6 : 1;
    const cost = () => (share * (this.#now() - begun)) / 1e9;
    const taken = target === null ? 'none' : await this.#takeOf(target, begun);
    if (taken === 'full') return;
    if (taken === 'failed') this.#schedule.missed(second(begun), 2 ** ++this.#failures);
    else if (taken === 'none') this.#schedule.missed(second(begun));
    else this.#drop(this.#schedule.taken(second(begun), cost()));
    this.#plan();
  }

  /** One heap in a folder of its own; `none` where the program ended meanwhile: another may follow it. */
  async #takeOf(target: Target, begun: number): Promise<'taken' | 'none' | 'failed' | 'full'> {
    const folder = `heap/${this.#number++}`;
    const file = `${folder}/${target.runtime === 'v8' ? 'v8.heapsnapshot' : 'python.hwheap'}`;
    const path = resolve(this.#runFile.folder, file);
    try {
      mkdirSync(dirname(path), { recursive: true });
      await this.#way.write(target, path).catch(async (error) => {
        // It has that name when it is whole: the program may have ended before it could say so.
        await this.#ownWork.none();
        if (!existsSync(path)) throw error;
      });
      this.#note({ file, ns: begun, ...target, bytes: statSync(path).size });
      this.#failures = 0;
      return 'taken';
    } catch (error) {
      rmSync(join(this.#runFile.folder, folder), { recursive: true, force: true });
      if (this.#ended) return 'full';
      if (languageOf(target.pid) === null) return 'none';
      if (error instanceof DiskLimit) {
        this.#runFile.warn(`no more heaps are taken: ${error.message}`);
        return 'full';
      }
      // Too little memory, a disk that is full: that may pass.
      const text = `a heap could not be taken, and is tried again: ${describeError(error)}`;
      if (!this.#said.has(text)) this.#runFile.warn(text);
      this.#said.add(text);
      return 'failed';
    }
  }

  /** The process that holds most of those that can answer, and stays it: heaps of two programs cannot be compared. */
  async #largest(): Promise<Target | null> {
    const known = this.#runFile.run.heaps?.at(-1)?.pid;
    const found = [...this.#pids()]
      .map((pid) => ({ pid, language: languageOf(pid), size: residentOf(pid) }))
      .filter(({ language }) => language !== null)
      .sort((a, b) => Number(b.pid === known) - Number(a.pid === known) || b.size - a.size);
    for (const { pid, language } of found) {
      const runtime = language === 'node' ? 'v8' : 'python';
      if (await answersTo(pid, 'heap')) return { pid, runtime };
      this.#silent ??= whySilent(pid);
    }
    return null;
  }

  async #written({ pid, runtime }: Target, path: string): Promise<void> {
    if (runtime === 'python') {
      const ask = () => askAgent(pid, 'heap', { file: path }, PATIENCE_MS);
      await this.#ownWork.beside(pid, ask);
      return;
    }
    const go = `${path}.go`;
    const heeded = () => {
      try {
        writeFileSync(go, '', { flag: 'wx' });
      } catch {} // It waits no longer than a moment.
    };
    const ask = () => askAgent(pid, 'heap', { file: path, heeded: true }, PATIENCE_MS);
    try {
      await this.#ownWork.inside(pid, heeded, ask);
    } finally {
      rmSync(go, { force: true });
    }
  }

  #note(heap: HeapInfo): void {
    const heaps = this.#runFile.run.heaps ?? [];
    const total = heaps.reduce((sum, { bytes }) => sum + bytes, heap.bytes);
    if (total > this.#options.maxDisk) throw new DiskLimit('they would take more than --max-disk');
    heaps.push(heap);
    this.#runFile.save();
  }

  #drop(surplus: number | null): void {
    const heaps = this.#runFile.run.heaps ?? [];
    if (surplus === null) return;
    const [gone] = heaps.splice(surplus, 1);
    this.#runFile.save();
    rmSync(dirname(join(this.#runFile.folder, gone!.file)), { recursive: true, force: true });
  }
}

function residentOf(pid: number): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readText(`/proc/${pid}/status`) ?? '')?.[1] ?? 0);
}
