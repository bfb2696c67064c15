import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import type { GpuBackend } from '../../sources/gpu/backend.ts';
import { GPU_BACKENDS } from '../../sources/gpu/index.ts';
import type { LiveFigures } from '../run/live-figures.ts';
import type { RunFile } from '../run/run-file.ts';
import { GpuEvidence, startEnvironment } from './gpu-evidence.ts';
import type { FromGpu, GpuThreadData } from './gpu-messages.ts';
import type { GpuPlan } from './gpu-plan.ts';
import type { ClockOrigin } from './messages.ts';

/** Without the driver kept loaded, its start takes seconds; the workload waits for it no longer. */
const OPEN_MS = 2000;
/** A driver that hangs must not keep the recorder. */
const STOP_MS = 5000;
/** Above this share lost samples are worth a warning. */
const NEGLIGIBLE = 0.05;

export interface GpuWatchOptions {
  readonly origin: ClockOrigin;
  readonly rateHz: number;
  /** The process that is attached to, whose environment counts; null: the workload gets ours. */
  readonly pid: number | null;
}

/** The GPU thread of a recording as the main thread sees it. */
export class GpuWatch {
  /** The writing thread reads the tables' rows from here. */
  readonly outlet: MessagePort;
  /** Resolves with the first sample, or when it is not worth waiting any longer. */
  readonly ready: Promise<void>;
  readonly evidence: GpuEvidence;
  readonly #runFile: RunFile;
  readonly #options: GpuWatchOptions;
  readonly #plan: GpuPlan;
  readonly #inlet: MessagePort;
  readonly #stop = new Int32Array(new SharedArrayBuffer(4));
  #worker: Worker | null = null;
  #over = false;
  #markReady: () => void = () => {};
  #markOver: () => void = () => {};
  readonly #ended: Promise<void>;

  /** null where there is nothing to try; the run says why. */
  static open(plan: GpuPlan, options: GpuWatchOptions, runFile: RunFile): GpuWatch | null {
    if (plan.reason === null) return new GpuWatch(plan, options, runFile);
    runFile.run.sources.push({ id: 'gpu', ok: false, reason: plan.reason });
    return null;
  }

  private constructor(plan: GpuPlan, options: GpuWatchOptions, runFile: RunFile) {
    this.#plan = plan;
    this.#options = options;
    this.#runFile = runFile;
    this.evidence = new GpuEvidence(runFile);
    const { port1, port2 } = new MessageChannel();
    this.#inlet = port1;
    this.outlet = port2;
    this.ready = new Promise((resolve) => {
      this.#markReady = resolve;
    });
    this.#ended = new Promise((resolve) => {
      this.#markOver = resolve;
    });
  }

  /** `signal` is the one that the writing thread counts in. */
  start(live: LiveFigures, signal: SharedArrayBuffer): void {
    const { origin, rateHz } = this.#options;
    const workerData: GpuThreadData = {
      settings: { origin, rateHz, candidates: this.#plan.candidates },
      live: live.shared,
      signal,
      stop: this.#stop.buffer as SharedArrayBuffer,
      writer: this.#inlet,
    };
    this.#worker = new Worker(new URL('./gpu-thread.js', import.meta.url), {
      workerData,
      transferList: [this.#inlet],
      name: 'gpu-thread',
    });
    this.#worker.on('message', (message: FromGpu) => this.#onMessage(message));
    this.#worker.on('error', (error) => {
      this.#runFile.warn(`GPU memory is not measured any more: ${error.message}`);
      this.#finish();
    });
    setTimeout(this.#markReady, OPEN_MS).unref();
  }

  /** Before the writing thread is told to close: the last rows are on their way then. */
  async stop(): Promise<void> {
    this.evidence.stop();
    if (!this.#worker) return;
    if (!this.#over) {
      Atomics.store(this.#stop, 0, 1);
      Atomics.notify(this.#stop, 0);
      this.#worker.postMessage('stop');
      let timeout: NodeJS.Timeout | undefined;
      const tooLong = new Promise<void>((resolve) => {
        timeout = setTimeout(() => {
          this.#runFile.warn('the GPU driver does not answer: its last samples are lost');
          resolve();
        }, STOP_MS);
      });
      await Promise.race([this.#ended, tooLong]);
      clearTimeout(timeout);
    }
    if (this.#over) await this.#worker.terminate();
    else this.#worker.unref();
  }

  #onMessage(message: FromGpu): void {
    const { run } = this.#runFile;
    switch (message.type) {
      case 'open':
        this.#onOpen(message);
        return;
      case 'unavailable':
        run.sources.push({ id: 'gpu', ok: false, reason: message.reason });
        this.#finish();
        return;
      case 'holder':
        this.evidence.addHolder(message.pid);
        return;
      case 'warning':
        this.#runFile.warn(message.text);
        return;
      case 'stopped':
        this.#noteLosses(message.lostRows, message.missedShare);
        this.#finish();
        return;
    }
  }

  #finish(): void {
    this.#over = true;
    this.#markReady();
    this.#markOver();
  }

  #onOpen({ backend: id, findings }: Extract<FromGpu, { type: 'open' }>): void {
    const backend: GpuBackend = GPU_BACKENDS.find((one) => one.id === id)!;
    const { run } = this.#runFile;
    const { cards, driver, tellsProcesses, notes } = findings;
    run.gpus = [...cards];
    run.gpu = {
      source: id,
      driver,
      processIds: tellsProcesses ? 'ours' : 'none',
      ...backend.visible(startEnvironment(this.#options.pid)),
      opened: null,
      notes: [...notes],
    };
    run.sources.push({ id: 'gpu', ok: true, detail: `${backend.name}, driver ${driver}` });
    this.#runFile.save();
    this.evidence.start(backend);
    this.#markReady();
  }

  #noteLosses(lostRows: number, missedShare: number): void {
    const { warnings } = this.#runFile.run;
    if (lostRows > 0) warnings.push(`${lostRows} rows of GPUs were lost: the disk was too slow`);
    if (missedShare > NEGLIGIBLE) {
      const percent = (missedShare * 100).toFixed(0);
      warnings.push(
        `${percent} % of the GPU samples were missed: the machine was too busy or the driver too slow`,
      );
    }
  }
}
