import { between } from '../../model/column-data.ts';
import type { TableSpec } from '../../model/schema.ts';
import { type Batch, Table } from '../../model/table.ts';
import { Gauges, type Point } from './gauges.ts';
import { tableTakers } from './tables.ts';
import { Who } from './who.ts';

/** A stretch of a recording, with what each series had in it. */
export interface Window {
  /** Nanoseconds since the recording's start; the last one ends when the recording does. */
  readonly endNs: number;
  readonly points: readonly Point[];
}

/**
 * Rows wait this long: those of other threads come a flush later, and who a process is, or that it
 * has ended, is known soon after its first row.
 */
const SETTLE_NS = 2e9;

/**
 * The first window ends so soon: a server can tell that a counter rose only where it knows it from before, and a program whose model is too
 * large is killed within seconds.
 */
const FIRST_NS = 1e9;

interface Held {
  readonly spec: TableSpec;
  readonly batch: Batch;
  readonly times: Float64Array;
  from: number;
}

/**
 * The rows of a recording as they are written → the largest and the last value of each window. Every row counts, one that comes
 * too late for its window in the next: the largest of all windows is the recording's peak.
 */
export class WindowTaker {
  readonly #lengthNs: number;
  readonly #emit: (window: Window) => void;
  readonly #gauges = new Gauges();
  readonly #who = new Who();
  readonly #takers = tableTakers(this.#gauges, this.#who);
  #held: Held[] = [];
  #endNs: number;
  #now = 0;

  constructor(lengthNs: number, emit: (window: Window) => void) {
    this.#lengthNs = lengthNs;
    this.#endNs = Math.min(FIRST_NS, lengthNs);
    this.#emit = emit;
  }

  /** Rows of a table, which nobody changes any more. */
  take(spec: TableSpec, batch: Batch): void {
    if (batch.rows === 0) return;
    if (spec.name === 'strings') this.#who.addTexts(new Table(spec, [batch]));
    else if (spec.name === 'processes') this.#who.addProcesses(new Table(spec, [batch]));
    else if (spec.name === 'clock') {
      this.advance((batch.columns[0] as Float64Array).at(-1)!);
    } else if (spec.name in this.#takers) {
      this.#held.push({ spec, batch, times: batch.columns[0] as Float64Array, from: 0 });
    }
  }

  /** The recording ends here, by default at the last time that was told. */
  end(ended = this.#now): void {
    this.advance(ended + SETTLE_NS);
    this.#drain(Number.POSITIVE_INFINITY);
    this.#close(ended);
  }

  /** It is so late, by the recording's clock. */
  advance(now: number): void {
    this.#now = Math.max(this.#now, now);
    const settled = now - SETTLE_NS;
    while (this.#endNs <= settled) {
      this.#drain(this.#endNs);
      this.#close(this.#endNs);
      this.#endNs = this.#endNs < this.#lengthNs ? this.#lengthNs : this.#endNs + this.#lengthNs;
    }
    this.#drain(settled, true);
  }

  #close(endNs: number): void {
    const points = this.#gauges.close();
    if (points.length > 0) this.#emit({ endNs, points });
  }

  /** Takes the rows before a moment; `whole`: batches with a later row wait, so that few are cut. */
  #drain(before: number, whole = false): void {
    let isDone = false;
    for (const held of this.#held) {
      const { spec, batch, times, from } = held;
      // Nearly always a batch is before it as a whole: then its rows need not be looked at.
      const isBefore = !(times[batch.rows - 1]! >= before);
      if (whole && !isBefore) continue;
      let to = isBefore ? batch.rows : from;
      while (to < batch.rows && !(times[to]! >= before)) to++;
      if (to === from) continue;
      this.#takers[spec.name]!(new Table(spec, [part(batch, from, to)]));
      held.from = to;
      isDone ||= to === batch.rows;
    }
    if (isDone) this.#held = this.#held.filter(({ batch, from }) => from < batch.rows);
  }
}

function part(batch: Batch, from: number, to: number): Batch {
  if (from === 0 && to === batch.rows) return batch;
  return { rows: to - from, columns: batch.columns.map((column) => between(column, from, to)) };
}
