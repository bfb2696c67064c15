import { type Series, seriesNames } from '../../model/series.ts';
import { BATCH_ROWS, type StoreBatch } from '../batch.ts';
import { type StoredRun, timeOf } from '../stored-run.ts';

/** Column by column, as there may be a hundred million rows; no more than one batch of them is here at any time. */
export function* seriesBatches(run: StoredRun): Generator<StoreBatch> {
  for (const name of seriesNames(run.recording)) {
    for (const { times, values } of inBatches(run.samples.pieces(name))) {
      yield batchOf(run, name, times, values);
    }
  }
}

type Samples = Pick<Series, 'times' | 'values'>;

/** However they come, batches of one size: it is that of a row group. */
function* inBatches(pieces: Iterable<Samples>): Generator<Samples> {
  const [times, values] = [new Float64Array(BATCH_ROWS), new Float64Array(BATCH_ROWS)];
  let rows = 0;
  for (const piece of pieces) {
    for (let from = 0; from < piece.times.length; ) {
      const to = Math.min(piece.times.length, from + BATCH_ROWS - rows);
      times.set(piece.times.subarray(from, to), rows);
      values.set(piece.values.subarray(from, to), rows);
      rows += to - from;
      from = to;
      if (rows < BATCH_ROWS) continue;
      yield { times, values };
      rows = 0;
    }
  }
  if (rows > 0) yield { times: times.subarray(0, rows), values: values.subarray(0, rows) };
}

function batchOf(run: StoredRun, name: string, times: Float64Array, values: Float64Array) {
  const rows = times.length;
  return {
    rows,
    columns: [
      new Array<string>(rows).fill(run.id),
      new Float64Array(rows).fill(run.startedUs),
      new Array<string>(rows).fill(name),
      Float64Array.from(times, (ns) => timeOf(run, ns)),
      // A share of pages that several have need not be whole.
      Float64Array.from(values, Math.round),
    ],
  };
}
