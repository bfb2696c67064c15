import type { WhatIfProgress } from '../../analyses/allocations/what-if/progress.ts';
import type { SearchProgress } from '../../analyses/allocations/what-if/smallest.ts';
import type { Recording } from '../../model/recording.ts';
import type { ReplayListener } from './replayer.ts';

/** Of a row for which the smallest limit is looked for too, the part that its own replay is. */
const OWN_REPLAY = 0.25;

/** Adds up how far the answer to one question is. */
export class ProgressKeeper implements ReplayListener {
  readonly #rows: number;
  readonly #events: number;
  readonly #own: number;
  #now: WhatIfProgress | null = null;
  #row = 0;
  #conf = '';

  constructor(rows: number, events: number, wantsSmallest: boolean) {
    this.#rows = rows;
    this.#events = events;
    this.#own = wantsSmallest ? OWN_REPLAY : 1;
  }

  /** null: nothing is under way yet. */
  get now(): WhatIfProgress | null {
    return this.#now;
  }

  /** The next row is replayed. */
  begin(conf: string): void {
    this.#row++;
    this.#conf = conf;
    this.#note(null, 0, 0);
  }

  replaying(eventsDone: number): void {
    this.#note(null, eventsDone, (this.#own * eventsDone) / this.#events);
  }

  searching({ probe, eventsDone, closeness }: SearchProgress): void {
    this.#note(probe, eventsDone, this.#own + (1 - this.#own) * closeness);
  }

  /** A row may need two replays: what was reached stays. */
  #note(probe: number | null, eventsDone: number, ofRow: number): void {
    const share = Math.min(1, (this.#row - 1 + ofRow) / this.#rows);
    this.#now = {
      ...{ conf: this.#conf, row: this.#row, rows: this.#rows },
      ...{ probe, eventsDone, events: this.#events },
      share: Math.max(share, this.#now?.share ?? 0),
    };
  }
}

/** By the words of the question. */
const underWay = new WeakMap<Recording, Map<string, ProgressKeeper>>();

/** Lets others see it until the function is called that is returned. */
export function keepProgress(
  recording: Recording,
  question: URLSearchParams,
  keeper: ProgressKeeper,
): () => void {
  const all = underWay.get(recording) ?? new Map<string, ProgressKeeper>();
  underWay.set(recording, all);
  const key = question.toString();
  all.set(key, keeper);
  return () => {
    // Another may have asked the same meanwhile.
    if (all.get(key) === keeper) all.delete(key);
  };
}

export const progressOf = (recording: Recording, question: URLSearchParams) =>
  underWay.get(recording)?.get(question.toString())?.now ?? null;
