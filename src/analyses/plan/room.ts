import { MiB } from '../../base/bytes.ts';
import type { Recording } from '../../model/recording.ts';
import type { Measured } from './measured.ts';
import type { Planned } from './planned.ts';

/** How much more of its card an engine could have asked for. */
export interface Room {
  /** Free on the card at the least, from when it served. */
  readonly leastFreeBytes: number;
  /** Of that, for requests as large as were planned for and did not come; null: not known how large those were. */
  readonly keptBytes: number | null;
  /** The share that it could ask for; null: it asked for none, or nothing tells what requests take at most. */
  readonly utilization: number | null;
}

/** What vLLM itself keeps free when it says what would fit. */
const KEPT_FREE = 150 * MiB;

/** Only for one card: of several, the log does not say which is whose. */
export function roomOf(
  planned: Planned,
  measured: Measured | null,
  recording: Recording,
  from: number,
  to: number,
): Room | null {
  if (measured?.place !== 'card') return null;
  const table = recording.table('gpu');
  const [times, cards] = [table.f64('time'), table.u32('gpu')];
  const [free, totals] = [table.f64('free'), table.f64('total')];
  const card = onlyCardOf(recording, measured.pid);
  if (card === null) return null;
  let least = Number.POSITIVE_INFINITY;
  let total = 0;
  for (let row = 0; row < table.rows; row++) {
    if (cards[row] !== card || times[row]! < from || times[row]! > to) continue;
    if (free[row]! < least) least = free[row]!;
    total = totals[row] || total;
  }
  if (!Number.isFinite(least) || !(total > 0)) return null;
  const { workBytes } = measured;
  const wanted = planned.parts.find(({ what }) => what === 'activations')?.planned?.bytes;
  if (workBytes === null || wanted === undefined)
    return { leastFreeBytes: least, keptBytes: null, utilization: null };
  const kept = Math.max(0, wanted - workBytes) + KEPT_FREE;
  const { utilization } = planned;
  const could = utilization === null ? null : utilization + (least - kept) / total;
  return {
    leastFreeBytes: least,
    keptBytes: kept,
    // Down to whole hundredths: what is said to fit must fit.
    utilization: could === null ? null : Math.min(0.99, Math.max(0, Math.floor(could * 100) / 100)),
  };
}

function onlyCardOf(recording: Recording, pid: number): number | null {
  const table = recording.table('gpu_process');
  const [pids, cards, used] = [table.u32('pid'), table.u32('gpu'), table.f64('used')];
  const found = new Set<number>();
  for (let row = 0; row < table.rows; row++)
    if (pids[row] === pid && used[row]! > 0) found.add(cards[row]!);
  return found.size === 1 ? [...found][0]! : null;
}
