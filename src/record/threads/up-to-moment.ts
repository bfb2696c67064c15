import { between } from '../../model/column-data.ts';
import type { TableSpec } from '../../model/schema.ts';
import type { Batch } from '../../model/table.ts';

type Deliver = (spec: TableSpec, batch: Batch) => void;

/**
 * Rows of a recording that is of one moment, and of what led to it: they are kept back until that moment is known,
 * as those who measure hear of it late, and no later one is passed on.
 */
export class UpToMoment {
  readonly #deliver: Deliver;
  #waiting: [TableSpec, Batch][] = [];
  #end: number | null = null;

  constructor(deliver: Deliver) {
    this.#deliver = deliver;
  }

  take(spec: TableSpec, batch: Batch): void {
    if (this.#end === null) this.#waiting.push([spec, batch]);
    else this.#pass(spec, batch, this.#end);
  }

  /** The moment is known; Infinity: there was none, and all is passed on. The first word counts. */
  end(time: number): void {
    if (this.#end !== null) return;
    this.#end = time;
    for (const [spec, batch] of this.#waiting.splice(0)) this.#pass(spec, batch, time);
  }

  #pass(spec: TableSpec, batch: Batch, end: number): void {
    const rows = rowsUpTo(spec, batch, end);
    if (rows === batch.rows) this.#deliver(spec, batch);
    else if (rows > 0) {
      const columns = batch.columns.map((column) => between(column, 0, rows));
      this.#deliver(spec, { rows, columns });
    }
  }
}

/** A table's times do not go back. Those without any say who was there and what things are called. */
function rowsUpTo(spec: TableSpec, { rows, columns }: Batch, end: number): number {
  const index = spec.columns.findIndex(({ name, unit }) => name === 'time' && unit === 'ns');
  if (index < 0) return rows;
  const times = columns[index] as Float64Array;
  let kept = rows;
  while (kept > 0 && times[kept - 1]! > end) kept--;
  return kept;
}
