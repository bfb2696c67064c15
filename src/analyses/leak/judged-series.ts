import type { Recording } from '../../model/recording.ts';
import { counterSeriesNames, type Series, series } from '../../model/series.ts';
import { workloadProcesses } from '../../model/workload-processes.ts';
import { counterSum } from './kind/process-sums.ts';
import { minusRecorder } from './minus-recorder.ts';
import { roleFinder } from './roles.ts';

/** A series to judge: the tree's, the machine's, or that of all processes of one role. */
export interface JudgedSeries {
  readonly series: Series;
  /** `device`: what torch's allocator handed out or holds on a device; `shm`: /dev/shm in use. */
  readonly measure: 'PSS' | 'RSS' | 'held' | 'device' | 'shm';
  /** `data loader`, `worker`, `main`; null for the whole tree or machine. */
  readonly role: string | null;
  /** How many such processes there were at a time, as a rule. */
  readonly members: number | null;
}

export function judgedSeries(recording: Recording): JudgedSeries[] {
  const found: JudgedSeries[] = [];
  const add = (measure: JudgedSeries['measure'], s: Series | null) => {
    if (s) found.push({ series: s, measure, role: null, members: null });
  };
  add('PSS', series(recording, 'tree.pss'));
  add('RSS', series(recording, 'tree.rss'));
  add('held', minusRecorder(recording, 'host.held') ?? minusRecorder(recording, 'host.used'));
  for (const name of counterSeriesNames(recording)) {
    if (/^torch\d+\.(allocated|reserved)$/.test(name)) add('device', series(recording, name));
  }
  const shm = counterSum(recording, 'shm.used', null);
  add('shm', shm.values.length > 0 ? shm : null);
  return [...found, ...roleSeries(recording).flatMap(ofRole)];
}

function ofRole({ role, members, pss, rss }: RoleSeries): JudgedSeries[] {
  const both = [
    { measure: 'PSS', series: pss },
    { measure: 'RSS', series: rss },
  ] as const;
  return both
    .filter(({ series: { values } }) => values.length > 0)
    .map((one) => ({ ...one, role, members }));
}

/** What all processes of one role held together: `worker 1`, `worker 2` … all play the role `worker`. */
interface RoleSeries {
  readonly role: string;
  readonly members: number;
  readonly pss: Series;
  readonly rss: Series;
}

/** The roles that held most are judged; a build with a thousand compilers has too many. */
const MOST_ROLES = 8;

/** Empty where there is one role only, which is the tree. */
function roleSeries(recording: Recording): RoleSeries[] {
  const roleAt = roleFinder(recording);
  const sums = new Map<string, RoleSums>();
  const table = workloadProcesses(recording);
  const [times, pids] = [table.f64('time'), table.u32('pid')];
  const [rss, pss] = [table.f64('rss'), table.f64('pss')];
  for (let row = 0; row < table.rows; row++) {
    const role = roleAt(pids[row]!, times[row]!);
    const sum = sums.get(role) ?? new RoleSums();
    sums.set(role, sum);
    sum.add(times[row]!, rss[row]!, pss[row]!);
  }
  if (sums.size < 2) return [];
  return [...sums]
    .sort(([, a], [, b]) => b.most - a.most)
    .slice(0, MOST_ROLES)
    .map(([role, sum]) => sum.series(role));
}

/** Sums of one role at each sample. */
class RoleSums {
  most = 0;
  readonly #times: number[] = [];
  readonly #rss: number[] = [];
  readonly #pss: number[] = [];
  readonly #count: number[] = [];

  add(time: number, rss: number, pss: number): void {
    let at = this.#times.length - 1;
    if (at < 0 || this.#times[at] !== time) {
      this.#times.push(time);
      this.#rss.push(0);
      this.#pss.push(0);
      this.#count.push(0);
      at++;
    }
    this.#rss[at]! += rss;
    this.#pss[at]! += pss;
    this.#count[at]!++;
    if (this.#rss[at]! > this.most) this.most = this.#rss[at]!;
  }

  /** Only samples with the usual number of processes: one that comes or goes is no growth. */
  series(role: string): RoleSeries {
    const members = mostFrequent(this.#count);
    const pick = (name: string, values: readonly number[]): Series => {
      const rows = values.flatMap((value, row) =>
        this.#count[row] === members && !Number.isNaN(value) ? [row] : [],
      );
      return {
        name,
        times: Float64Array.from(rows, (row) => this.#times[row]!),
        values: Float64Array.from(rows, (row) => values[row]!),
      };
    };
    return {
      role,
      members,
      pss: pick(`${role}.pss`, this.#pss),
      rss: pick(`${role}.rss`, this.#rss),
    };
  }
}

function mostFrequent(counts: readonly number[]): number {
  const seen = new Map<number, number>();
  for (const count of counts) seen.set(count, (seen.get(count) ?? 0) + 1);
  let best = 0;
  for (const [count, times] of seen) if (times > (seen.get(best) ?? 0)) best = count;
  return best;
}
