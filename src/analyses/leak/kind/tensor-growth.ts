import type { Recording } from '../../../model/recording.ts';
import type { GrowthRate } from './growth-rate.ts';
import type { Pids } from './process-sums.ts';

/** Tensors of one shape and type whose number grew. */
export interface TensorGrowth {
  readonly shape: string;
  readonly dtype: string;
  readonly device: string;
  /** The operation that made them, together with the graph that they keep; empty where they keep none. */
  readonly madeBy: string;
  /** What refers to one of them, where that was found out. */
  readonly holder: string;
  /** When there were most of them. */
  readonly count: number;
  readonly bytes: number;
  readonly countRate: number;
  readonly bytesRate: number;
}

interface Group {
  readonly texts: readonly [string, string, string, string];
  readonly pid: number;
  holder: string;
  first: { count: number; bytes: number; ns: number };
  most: { count: number; bytes: number; ns: number };
}

/** Their number is constant between steps. */
const CONSTANT: ReadonlySet<string> = new Set(['parameter', 'gradient']);

/** Groups that grew between surveys of a process, the fastest in bytes first, then in number. */
export function tensorGrowth(recording: Recording, only: Pids, rate: GrowthRate): TensorGrowth[] {
  return [...groupsOf(recording, only)]
    .flatMap((group): TensorGrowth[] => {
      const { texts, holder, first, most } = group;
      const [shape, dtype, device, what] = texts;
      const countRate = rate.of(most.count - first.count, first.ns, most.ns);
      const bytesRate = rate.of(most.bytes - first.bytes, first.ns, most.ns);
      if (CONSTANT.has(what) || !countRate || bytesRate === null) return [];
      const madeBy = what === 'leaf' ? '' : what;
      const { count, bytes } = most;
      return [{ shape, dtype, device, madeBy, holder, count, bytes, countRate, bytesRate }];
    })
    .sort((a, b) => b.bytesRate - a.bytesRate || b.countRate - a.countRate);
}

function groupsOf(recording: Recording, only: Pids): Iterable<Group> {
  const table = recording.table('tensors');
  const [times, pids] = [table.f64('time'), table.u32('pid')];
  const [counts, bytes] = [table.f64('count'), table.f64('bytes')];
  const columns = ['shape', 'dtype', 'device', 'what', 'holder'].map((name) => table.u32(name));
  const groups = new Map<string, Group>();
  const firstSurvey = new Map<number, number>();
  for (let row = 0; row < table.rows; row++) {
    const [pid, ns] = [pids[row]!, times[row]!];
    if (only && !only.has(pid)) continue;
    if (!firstSurvey.has(pid)) firstSurvey.set(pid, ns);
    const start = firstSurvey.get(pid)!;
    const now = { count: counts[row]!, bytes: bytes[row]!, ns };
    const ids = columns.slice(0, 4).map((column) => column[row]!);
    const key = `${pid} ${ids.join(' ')}`;
    let group = groups.get(key);
    if (!group) {
      const texts = ids.map((id) => recording.text(id)) as [string, string, string, string];
      // Not among the largest in the first survey: counted as none.
      const first = ns === start ? now : { count: 0, bytes: 0, ns: start };
      group = { texts, pid, holder: '', first, most: first };
      groups.set(key, group);
    }
    if (now.count > group.most.count) {
      group.most = now;
      group.holder = recording.text(columns[4]![row]!) || group.holder;
    }
  }
  return groups.values();
}
