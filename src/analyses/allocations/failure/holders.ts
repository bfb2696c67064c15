import type { Recording } from '../../../model/recording.ts';

/** Tensors of one kind that lived when memory ran out, and what holds one of them. */
export interface TensorHolder {
  /** `list of 46 in predictions in predict() at predict.py:12`; '' where none was looked for or found. */
  readonly holder: string;
  /** What it is to autograd: the operation that made it with its graph, or nothing. */
  readonly what: string;
  readonly shape: string;
  readonly count: number;
  readonly bytes: number;
}

const MOST = 8;
/** The agent looks right before or after it takes the snapshot. */
const NEAR_NS = 10e9;

/** Rows of `tensors` by the look that a process took when memory ran out on this device. */
export function lookAtFailure(recording: Recording, device: number) {
  const snapshot = recording.run.snapshots?.find(
    (one) => one.why === 'oom' && one.device === device,
  );
  const table = recording.table('tensors');
  const [times, pids] = [table.f64('time'), table.u32('pid')];
  const text = (name: string, row: number) => recording.text(table.u32(name)[row]!);
  if (!snapshot) return { rows: [], text };
  const off = (row: number) => Math.abs(times[row]! - snapshot.ns);
  let rows: number[] = [];
  for (let row = 0; row < table.rows; row++) {
    if (pids[row] !== snapshot.pid || text('device', row) !== `cuda:${device}`) continue;
    if (off(row) > NEAR_NS || (rows.length > 0 && off(row) > off(rows[0]!))) continue;
    if (rows.length > 0 && off(row) < off(rows[0]!)) rows = [];
    rows.push(row);
  }
  return { rows, text };
}

/** Those that are no parameters, the largest first. */
export function tensorHolders(recording: Recording, device: number): TensorHolder[] {
  const { rows, text } = lookAtFailure(recording, device);
  const table = recording.table('tensors');
  return rows
    .filter((row) => !['parameter', 'gradient'].includes(text('what', row)))
    .map((row) => ({
      holder: text('holder', row),
      what: text('what', row),
      shape: text('shape', row),
      count: table.f64('count')[row]!,
      bytes: table.f64('bytes')[row]!,
    }))
    .sort((a, b) => b.bytes - a.bytes || b.count - a.count)
    .slice(0, MOST);
}
