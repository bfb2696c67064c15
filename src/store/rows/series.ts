import { type Series, series, seriesNames } from '../../model/series.ts';
import { BATCH_ROWS, type StoreBatch } from '../batch.ts';
import { type StoredRun, timeOf } from '../stored-run.ts';

/** Column by column, as there may be a hundred million rows. */
export function* seriesBatches(run: StoredRun): Generator<StoreBatch> {
  for (const name of seriesNames(run.recording)) {
    const all = series(run.recording, name)!;
    for (let from = 0; from < all.times.length; from += BATCH_ROWS) {
      yield batchOf(run, all, from, Math.min(from + BATCH_ROWS, all.times.length));
    }
  }
}

function batchOf(run: StoredRun, { name, times, values }: Series, from: number, to: number) {
  const rows = to - from;
  return {
    rows,
    columns: [
      new Array<string>(rows).fill(run.id),
      new Float64Array(rows).fill(run.startedUs),
      new Array<string>(rows).fill(name),
      Float64Array.from(times.subarray(from, to), (ns) => timeOf(run, ns)),
      // A share of pages that several have need not be whole.
      Float64Array.from(values.subarray(from, to), Math.round),
    ],
  };
}
