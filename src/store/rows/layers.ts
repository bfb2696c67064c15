import { SECOND_NS } from '../../base/time.ts';
import { origin } from '../../model/origin.ts';
import type { StoreRow } from '../batch.ts';
import { type StoredRun, timeOf } from '../stored-run.ts';

export function* layerRows(run: StoredRun): Generator<StoreRow> {
  const zero = origin(run.recording).ns;
  for (const { pid, rank, at, parts } of run.report.layers) {
    const { epoch, iteration } = at;
    const time = timeOf(run, zero + at.seconds * SECOND_NS);
    for (const { name, kind, bytes } of parts) {
      yield { pid, name, kind, rank, bytes, time, epoch, iteration };
    }
  }
}
