import { withoutSecrets } from '../../base/secrets/index.ts';
import type { StoreRow } from '../batch.ts';
import { type StoredRun, timeOf } from '../stored-run.ts';

export function* markRows(run: StoredRun): Generator<StoreRow> {
  const { recording } = run;
  const marks = recording.table('marks');
  const [times, kinds, names] = [marks.f64('time'), marks.u32('kind'), marks.u32('name')];
  const [pids, ranks] = [marks.f64('pid'), marks.f64('rank')];
  const [epochs, iterations, values] = [
    marks.f64('epoch'),
    marks.f64('iteration'),
    marks.f64('value'),
  ];
  for (let row = 0; row < marks.rows; row++) {
    yield {
      number: row,
      time: timeOf(run, times[row]!),
      kind: recording.text(kinds[row]!),
      name: withoutSecrets(recording.text(names[row]!)),
      pid: pids[row],
      rank: ranks[row],
      epoch: epochs[row],
      iteration: iterations[row],
      value: values[row],
    };
  }
}
