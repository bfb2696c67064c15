import type { Program } from '../../analyses/allocations/replay/program.ts';
import { replay } from '../../analyses/allocations/replay/replay.ts';
import type { Replayed, ReplayOptions } from '../../analyses/allocations/replay/replayed.ts';
import { requestsOf } from '../../analyses/allocations/replay/requests.ts';
import type { Elsewhere } from '../../analyses/allocations/what-if/rows.ts';
import {
  findSmallest,
  type Search,
  type SearchProgress,
  type Smallest,
} from '../../analyses/allocations/what-if/smallest.ts';
import type { ReplayThread, ToReplayThread } from './messages.ts';

/** So many are replayed in less time than a thread takes to start. */
const FEW_EVENTS = 20_000;

/** Is told how far a replay in a thread is. */
export interface ReplayListener {
  replaying(eventsDone: number): void;
  searching(progress: SearchProgress): void;
}

/** Replays one program, a long one on a thread of its own: other questions are answered meanwhile. One at a time is asked for. */
export class Replayer implements Elsewhere {
  readonly #program: Program;
  readonly #listener: ReplayListener | undefined;
  readonly #thread: ReplayThread;

  constructor(program: Program, thread: ReplayThread, listener?: ReplayListener) {
    this.#program = program;
    this.#listener = listener;
    this.#thread = thread;
  }

  async replay(options: ReplayOptions): Promise<Replayed> {
    if (this.#isShort) return replay(this.#program, options);
    for await (const told of this.#ask({ type: 'replay', options })) {
      if (told.type === 'replayed') return told.replayed;
      if (told.type === 'replaying') this.#listener?.replaying(told.eventsDone);
    }
    throw new Error('the replay ended without an answer');
  }

  async smallest(search: Search): Promise<Smallest> {
    if (this.#isShort) return findSmallest(this.#program, search).smallest;
    for await (const told of this.#ask({ type: 'smallest', search })) {
      if (told.type === 'found') return told.smallest;
      if (told.type === 'searching') this.#listener?.searching(told.progress);
    }
    throw new Error('the search ended without an answer');
  }

  async end(): Promise<void> {
    await this.#thread.end();
  }

  get #isShort(): boolean {
    return this.#program.events < FEW_EVENTS;
  }

  #ask(message: ToReplayThread) {
    return this.#thread.ask(() => requestsOf(this.#program), message);
  }
}
