import { lastUpTo } from '../../base/search.ts';
import type { Recording } from '../../model/recording.ts';
import { series } from '../../model/series.ts';
import { workloadProcesses } from '../../model/workload-processes.ts';
import type { JudgedSeries } from './judged-series.ts';

/** When the memory is full at the rate at which it leaks. */
export interface Exhaustion {
  readonly seconds: number;
  readonly of: 'cgroup limit' | 'machine' | 'card';
}

interface Moments {
  /** Of the last value that was judged: a card is empty again when its process ends. */
  readonly lastNs: number;
  readonly endNs: number;
}

/** The control group's limit, or what the machine or the card had left; null where that is not known. */
export function exhaustion(
  recording: Recording,
  { measure }: Pick<JudgedSeries, 'measure'>,
  { lastNs, endNs }: Moments,
  perSecond: number,
): Exhaustion | null {
  if (!(perSecond > 0)) return null;
  const headrooms =
    measure === 'device'
      ? [{ of: 'card' as const, bytes: cardHeadroom(recording, lastNs) }]
      : [
          { of: 'cgroup limit' as const, bytes: cgroupHeadroom(recording, endNs) },
          { of: 'machine' as const, bytes: machineHeadroom(recording, endNs) },
        ];
  const [least] = headrooms
    .filter(({ bytes }) => bytes !== null && bytes > 0)
    .sort((a, b) => a.bytes! - b.bytes!);
  return least ? { seconds: least.bytes! / perSecond, of: least.of } : null;
}

function cgroupHeadroom(recording: Recording, ns: number): number | null {
  const limit = recording.run.cgroup?.limitBytes ?? null;
  const current = series(recording, 'cgroup.current');
  if (limit === null || !current) return null;
  return limit - valueAt(current.times, current.values, ns);
}

function machineHeadroom(recording: Recording, ns: number): number | null {
  const host = recording.table('host');
  if (host.rows === 0) return null;
  const available = valueAt(host.f64('time'), host.f64('MemAvailable'), ns);
  return Number.isNaN(available) ? null : available;
}

/** What the driver had free. Torch numbers cards in its own way: its series are of the only card that the workload is on. */
function cardHeadroom(recording: Recording, ns: number): number | null {
  const card = onlyCard(recording);
  if (card === null) return null;
  const table = recording.table('gpu');
  const [times, cards, free] = [table.f64('time'), table.u32('gpu'), table.f64('free')];
  const rows = [...times.keys()].filter((row) => cards[row] === card && free[row]! >= 0);
  if (rows.length === 0) return null;
  const pick = (column: Float64Array) => Float64Array.from(rows, (row) => column[row]!);
  return valueAt(pick(times), pick(free), ns);
}

function onlyCard(recording: Recording): number | null {
  const own = new Set(workloadProcesses(recording).u32('pid'));
  const table = recording.table('gpu_process');
  const [cards, pids, used] = [table.u32('gpu'), table.u32('pid'), table.f64('used')];
  const found = new Set(cards.filter((_, row) => own.has(pids[row]!) && used[row]! > 0));
  return found.size === 1 ? [...found][0]! : null;
}

/** The last value up to a moment, or the first. */
function valueAt(times: Float64Array, values: Float64Array, ns: number): number {
  return values[Math.max(0, lastUpTo(times, ns))]!;
}
