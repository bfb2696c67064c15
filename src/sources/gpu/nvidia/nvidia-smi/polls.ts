import { TABLES } from '../../../../model/schema.ts';
import type { TableBuffer } from '../../../../model/table.ts';
import type { Sink } from '../../../source.ts';
import type { GpuNow } from '../../backend.ts';
import type { SmiRow } from './row.ts';

/** More cards than any machine has. */
const MOST_CARDS = 256;

/** Puts the program's rows into the table; those of one poll share one time. */
export class Polls {
  readonly now: GpuNow = {
    first: new Float64Array(MOST_CARDS).fill(Number.NaN),
    used: new Float64Array(MOST_CARDS).fill(Number.NaN),
  };
  readonly #table: TableBuffer;
  readonly #clock: () => number;
  readonly #wallOffsetNs: number;
  #lastIndex = Number.POSITIVE_INFINITY;
  #time = 0;

  /** `clock` is ns since the recording's start. */
  constructor(sink: Sink, clock: () => number) {
    this.#table = sink.table(TABLES.gpu);
    this.#clock = clock;
    this.#wallOffsetNs = clock() - Date.now() * 1e6;
  }

  add(row: SmiRow): void {
    if (row.index >= MOST_CARDS) return;
    if (row.index <= this.#lastIndex) this.#time = this.#timeOf(row);
    this.#lastIndex = row.index;
    this.#table.push([this.#time, row.index, row.used, row.reserved, row.free, row.total]);
    this.now.used[row.index] = row.used;
    if (Number.isNaN(this.now.first[row.index]!)) this.now.first[row.index] = row.used;
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
