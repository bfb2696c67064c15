import type { MessagePort } from 'node:worker_threads';
import type { TableSpec } from '../../model/schema.ts';
import type { Batch } from '../../model/table.ts';
import type { ToWriter } from './messages.ts';

/** Batches that may wait for the disk (about two minutes) before samples are dropped and counted. */
const MAX_BACKLOG = 1500;

/** Hands batches of rows to the writing thread, without copying. */
export class BatchSender {
  readonly #writer: MessagePort;
  readonly #words: Int32Array;
  readonly #place: number;
  #sent = 0;
  lostRows = 0;

  /** `place` is the word in which the writer counts what it has written of ours. */
  constructor(writer: MessagePort, words: Int32Array, place: number) {
    this.#writer = writer;
    this.#words = words;
    this.#place = place;
  }

  send(spec: TableSpec, batch: Batch): void {
    if (this.#sent - Atomics.load(this.#words, this.#place) > MAX_BACKLOG) {
      this.lostRows += batch.rows;
      return;
    }
    this.#sent++;
    // All columns of numbers share one piece of memory (TableBuffer).
    const numbers = batch.columns.find((c) => !Array.isArray(c)) as Float64Array | undefined;
    const transfer = numbers ? [numbers.buffer as ArrayBuffer] : [];
    this.#writer.postMessage({ type: 'batch', spec, batch } satisfies ToWriter, transfer);
  }
}
