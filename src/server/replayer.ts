import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Program } from '../analyses/allocations/replay/program.ts';
import { replay } from '../analyses/allocations/replay/replay.ts';
import type { Replayed, ReplayOptions } from '../analyses/allocations/replay/replayed.ts';
import { requestsOf } from '../analyses/allocations/replay/requests.ts';

/** Beside us in the bundle. */
const THREAD = new URL('./replay-thread.js', import.meta.url);
/** So many are replayed in less time than a thread takes to start. */
const FEW_EVENTS = 20_000;

/** Replays one program, a long one on a thread of its own: other questions are answered meanwhile. One at a time is asked for. */
export class Replayer {
  readonly #program: Program;
  #thread: Worker | null = null;

  constructor(program: Program) {
    this.#program = program;
  }

  async replay(options: ReplayOptions): Promise<Replayed> {
    if (this.#program.events < FEW_EVENTS) return replay(this.#program, options);
    this.#thread ??= new Worker(THREAD, { workerData: requestsOf(this.#program), name: 'replay' });
    this.#thread.postMessage(options);
    const [replayed] = (await once(this.#thread, 'message')) as [Replayed];
    return replayed;
  }

  async end(): Promise<void> {
    await this.#thread?.terminate();
  }
}
