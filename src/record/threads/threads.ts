import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { describeError } from '../../base/errors.ts';
import { LiveFigures } from '../run/live-figures.ts';
import type { FromSampler, FromWriter, SamplerSettings, ToSampler } from './messages.ts';
import { shortenTimeSlice } from './priority.ts';

type Stopped = Extract<FromSampler, { type: 'stopped' }>;
/** What the session hears of. */
export type SamplerNews = Exclude<FromSampler, { type: 'stopped' | 'ready' }>;

export interface ThreadEvents {
  onSampler(message: SamplerNews): void;
  /** Writing failed; sampling goes on, for the limits and the live line. */
  onWriteFailure(text: string, code: string | null): void;
  onWarning(text: string): void;
}

/** What the threads leave behind; null where one failed before its end. */
export interface ThreadsEnd {
  readonly stopped: Stopped | null;
  readonly foldedSeconds: number | null;
}

/** What the sampling thread is given at its start. */
export interface SamplerThreadData {
  readonly settings: SamplerSettings;
  readonly live: SharedArrayBuffer;
  /** [0] changes when a message waits; [1] and [2] count batches that the writer has written. */
  readonly signal: SharedArrayBuffer;
  readonly inbox: MessagePort;
  readonly writer: MessagePort;
}

/** What the writing thread is given at its start. */
export interface WriterThreadData {
  readonly folder: string;
  readonly maxBytes: number;
  readonly signal: SharedArrayBuffer;
  readonly inbox: MessagePort;
  /** The GPU thread's batches, if there is one. */
  readonly outlet: MessagePort | null;
  /** Where windows of metrics go, if somebody wants them. */
  readonly windows: WindowsInlet | null;
  /** Nothing later than one moment is kept, which is told when it is known. */
  readonly ofOneMoment: boolean;
}

/** How long a window is, and where it goes when it has ended. */
export interface WindowsInlet {
  readonly lengthNs: number;
  readonly inlet: MessagePort;
}

const CAN_WAIT: ReadonlySet<ToSampler['type']> = new Set(['pss', 'agent', 'malloc']);

/** The sampling and the writing thread of one recording, as the main thread sees them. */
export class RecorderThreads {
  readonly live = new LiveFigures();
  readonly #signal = new Int32Array(new SharedArrayBuffer(12));
  readonly #sampler: Worker;
  readonly #writer: Worker;
  readonly #inbox: MessagePort;
  readonly #stopped: Promise<Stopped>;
  readonly #closed: Promise<number | null>;
  #markReady: () => void = () => {};
  /** Resolves with the first sample; rejects when the sampling thread fails before that. */
  readonly ready: Promise<void>;

  /** `outlet` is where the GPU thread's rows come from, if there is one, `windows` where metrics go. */
  constructor(
    folder: string,
    maxBytes: number,
    settings: SamplerSettings,
    events: ThreadEvents,
    outlet: MessagePort | null = null,
    windows: WindowsInlet | null = null,
    ofOneMoment = false,
  ) {
    const toSampler = new MessageChannel();
    const toWriter = new MessageChannel();
    const { signal } = this;
    this.#inbox = toSampler.port1;
    this.#writer = startThread(
      'writer-thread',
      {
        folder,
        maxBytes,
        signal,
        inbox: toWriter.port2,
        outlet,
        windows,
        ofOneMoment,
      } satisfies WriterThreadData,
      [toWriter.port2, outlet, windows?.inlet].filter((port) => port != null),
    );
    try {
      this.#sampler = startThread(
        'sampler-thread',
        {
          settings,
          live: this.live.shared,
          signal,
          inbox: toSampler.port2,
          writer: toWriter.port1,
        } satisfies SamplerThreadData,
        [toSampler.port2, toWriter.port1],
      );
    } catch (error) {
      void this.#writer.terminate(); // nobody would tell it to end
      throw error;
    }
    this.#closed = new Promise((resolve) => {
      this.#writer.on('message', (message: FromWriter) => {
        if (message.type === 'closed') resolve(message.foldedSeconds);
        else if (message.type === 'unmeasured')
          events.onWarning(`metrics are not sent any more: ${message.text}`);
        else events.onWriteFailure(message.text, message.code);
      });
      this.#writer.on('error', (error) => {
        events.onWriteFailure(error.message, null);
        resolve(null);
      });
    });
    this.#stopped = new Promise((resolve, reject) => {
      this.#sampler.on('message', (message: FromSampler) => {
        if (message.type === 'stopped') resolve(message);
        else if (message.type === 'ready') {
          if (message.thread !== null) shortenTimeSlice(message.thread);
          this.#markReady();
        } else events.onSampler(message);
      });
      this.#sampler.on('error', reject);
    });
    this.ready = new Promise((resolve, reject) => {
      this.#markReady = resolve;
      this.#sampler.once('error', (error) => reject(new Error(`cannot sample: ${error.message}`)));
    });
    this.#stopped.catch((error: Error) =>
      events.onWriteFailure(`sampling stopped: ${error.message}`, null),
    );
  }

  /** The words in which the threads count for each other. */
  get signal(): SharedArrayBuffer {
    return this.#signal.buffer as SharedArrayBuffer;
  }

  send(message: ToSampler): void {
    this.#inbox.postMessage(message);
    Atomics.add(this.#signal, 0, 1);
    // Some are wanted at the next sample, not before: no need to wake the sampler.
    if (!CAN_WAIT.has(message.type)) Atomics.notify(this.#signal, 0);
  }

  /** Takes the last sample and writes everything out. */
  async stop(): Promise<ThreadsEnd> {
    this.send({ type: 'stop' });
    const stopped = await this.#stopped.catch(() => null);
    const foldedSeconds = stopped ? await this.#closed : null;
    this.#inbox.close();
    await Promise.all([this.#sampler.terminate(), this.#writer.terminate()]);
    return { stopped, foldedSeconds };
  }
}

/** Threads are bundled beside the command line (scripts/build.ts). */
function startThread(name: string, workerData: object, transferList: MessagePort[]): Worker {
  const url = new URL(`./${name}.js`, import.meta.url);
  try {
    return new Worker(url, { workerData, transferList, name });
  } catch (error) {
    // `ulimit -u`, or a control group's limit of processes, of which each thread is one.
    throw new Error(`cannot start a thread: ${describeError(error)}`);
  }
}
