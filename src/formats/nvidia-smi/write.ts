import { MiB } from '../../base/bytes.ts';
import { FormatError } from '../../base/errors.ts';
import { median } from '../../base/stats.ts';
import { MILLISECOND_NS } from '../../base/time.ts';
import type { Recording } from '../../model/recording.ts';

const ROWS_A_PIECE = 1024;

/** A line each sample, as `nvidia-smi --query-gpu=memory.used --format=csv` writes it. */
export function* writeNvidiaSmi(recording: Recording): Generator<string> {
  const table = recording.table('gpu');
  if (table.rows === 0) throw new FormatError('the recording has no samples of a GPU');
  const [gpus, used] = [table.u32('gpu'), table.f64('used')];
  // nvidia-smi leaves GPUs that write in turn indistinguishable; ours can be told apart.
  const several = gpus.some((gpu) => gpu !== gpus[0]);
  let piece = several ? 'index, memory.used [MiB]\n' : 'memory.used [MiB]\n';
  for (let row = 0; row < table.rows; row++) {
    const value = Number.isNaN(used[row]!) ? '[N/A]' : `${Math.round(used[row]! / MiB)} MiB`;
    piece += several ? `${gpus[row]}, ${value}\n` : `${value}\n`;
    if ((row + 1) % ROWS_A_PIECE !== 0) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}

/** The form has no times: whoever plots it must know the distance of its lines. */
export function sampleRate(recording: Recording): string {
  const table = recording.table('gpu');
  const [times, gpus] = [table.f64('time'), table.u32('gpu')];
  const own = times.filter((_, row) => gpus[row] === gpus[0]);
  if (own.length < 2) return 'one sample';
  const usual = median(own.subarray(1).map((time, i) => time - own[i]!)) / MILLISECOND_NS;
  return `a line each sample, ${Number(usual.toPrecision(3))} ms apart as recorded`;
}
