import type { GpuNow, GpuSession } from '../../backend.ts';
import { CardTable } from '../../card-table.ts';
import type { SmiRow } from './row.ts';

/** More cards than any machine has. */
const MOST_CARDS = 256;

/** Puts the program's rows into the table; those of one poll share one time. */
export class Polls {
  readonly #table: CardTable;
  readonly #clock: () => number;
  readonly #wallOffsetNs: number;
  #lastIndex = Number.POSITIVE_INFINITY;
  #time = 0;

  constructor({ sink, clock }: Pick<GpuSession, 'sink' | 'clock'>) {
    this.#table = new CardTable(sink, MOST_CARDS);
    this.#clock = clock;
    this.#wallOffsetNs = clock() - Date.now() * 1e6;
  }

  get now(): GpuNow {
    return this.#table.now;
  }

  add(row: SmiRow): void {
    if (row.index >= MOST_CARDS) return;
    if (row.index <= this.#lastIndex) this.#time = this.#timeOf(row);
    this.#lastIndex = row.index;
    this.#table.add(this.#time, row.index, row);
  }

  /**
   * When it was read: lines may wait in a buffer on their way, so the program's own stamp counts,
   * as long as the wall clock was not moved: time neither goes back nor runs ahead of now.
   */
  #timeOf({ wallMs }: SmiRow): number {
    const arrived = this.#clock();
    const stamped = wallMs * 1e6 + this.#wallOffsetNs;
    const time = Number.isNaN(stamped) ? arrived : Math.round(Math.min(stamped, arrived));
    return Math.max(time, this.#time);
  }
}
