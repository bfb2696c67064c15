import { TABLES } from '../../model/schema.ts';
import type { Sink } from '../source.ts';
import type { LayerRow, ObjectRow, TensorRow } from './protocol.ts';

/** Says that an iteration was, in which nothing changed. */
export const NOTHING_CHANGED: LayerRow = ['', 'iteration', null];

interface Told {
  /** ns since the recording's start. */
  readonly time: number;
  readonly pid: number;
  readonly rank: number | null;
}

interface ToldMark {
  readonly time: number;
  readonly timeFrom: number;
  readonly pid: number | null;
  readonly rank?: number | null;
  readonly kind: string;
  readonly name: string;
  readonly epoch?: number | null;
  readonly iteration?: number | null;
  readonly value?: number | null;
}

interface ToldLayers extends Told {
  readonly epoch: number | null;
  readonly iteration: number | null;
  readonly rows: readonly LayerRow[];
}

interface ToldCounters extends Told {
  readonly values: Readonly<Record<string, number>>;
}

interface ToldSurvey<Row> extends Told {
  readonly rows: readonly Row[];
}

/** The rows of what was told rather than sampled: marks, and what agents say of their process; live and from files. */
export class ToldRows {
  readonly #sink: Sink;

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  addMark(mark: ToldMark): void {
    this.#sink
      .table(TABLES.marks)
      .push([
        mark.time,
        mark.timeFrom,
        mark.pid,
        mark.rank ?? null,
        this.#sink.intern(mark.kind),
        this.#sink.intern(mark.name),
        mark.epoch ?? null,
        mark.iteration ?? null,
        mark.value ?? null,
      ]);
  }

  addLayers({ time, pid, rank, epoch, iteration, rows }: ToldLayers): void {
    const table = this.#sink.table(TABLES.layers);
    for (const [name, kind, bytes] of rows) {
      table.push([time, pid, rank, epoch, iteration, ...this.#interned(name, kind), bytes]);
    }
  }

  addCounters({ time, pid, rank, values }: ToldCounters): void {
    const table = this.#sink.table(TABLES.counters);
    for (const [name, value] of Object.entries(values)) {
      table.push([time, pid, rank, this.#sink.intern(name), value]);
    }
  }

  addTensors({ time, pid, rank, rows }: ToldSurvey<TensorRow>): void {
    const table = this.#sink.table(TABLES.tensors);
    for (const [shape, dtype, device, what, holder, count, bytes] of rows) {
      const texts = this.#interned(shape, dtype, device, what, holder);
      table.push([time, pid, rank, ...texts, count, bytes]);
    }
  }

  addObjects({ time, pid, rank, rows }: ToldSurvey<ObjectRow>): void {
    const table = this.#sink.table(TABLES.objects);
    for (const [kind, type, of, holder, ...numbers] of rows) {
      table.push([time, pid, rank, ...this.#interned(kind, type, of, holder), ...numbers]);
    }
  }

  #interned(...texts: readonly string[]): number[] {
    return texts.map((text) => this.#sink.intern(text));
  }
}
