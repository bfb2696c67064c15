import { TABLES } from '../../model/schema.ts';
import type { TableBuffer } from '../../model/table.ts';
import type { Sink } from '../source.ts';
import type { CardMemory, GpuNow } from './backend.ts';

/** Puts the cards' memory into table `gpu`, and keeps the newest figures. */
export class CardTable {
  readonly now: GpuNow;
  readonly #table: TableBuffer;

  /** `cards` is how many indices there can be. */
  constructor(sink: Sink, cards: number) {
    const unknown = () => new Float64Array(cards).fill(Number.NaN);
    this.now = { first: unknown(), used: unknown() };
    this.#table = sink.table(TABLES.gpu);
  }

  add(time: number, gpu: number, memory: Readonly<CardMemory>): void {
    const { first, used } = this.now;
    used[gpu] = memory.used;
    if (Number.isNaN(first[gpu]!)) first[gpu] = memory.used;
    const table = this.#table;
    const row = table.addRow();
    table.f64(0)[row] = time;
    (table.columns[1] as Uint32Array)[row] = gpu;
    table.f64(2)[row] = memory.used;
    table.f64(3)[row] = memory.reserved;
    table.f64(4)[row] = memory.free;
    table.f64(5)[row] = memory.total;
  }
}
