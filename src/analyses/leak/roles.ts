import type { Recording } from '../../model/recording.ts';
import type { Series } from '../../model/series.ts';

/** What all processes of one kind held together: `worker 1`, `worker 2` … are of the kind `worker`. */
export interface RoleSeries {
  readonly kind: string;
  readonly members: number;
  readonly pss: Series;
  readonly rss: Series;
}

/** The kinds that held most are judged; a build with a thousand compilers has too many. */
const MOST_KINDS = 8;

/** Empty where there is one kind only, which is the tree. */
export function roleSeries(recording: Recording): RoleSeries[] {
  const kindOf = kindFinder(recording);
  const sums = new Map<string, Sums>();
  const table = recording.table('process');
  const [times, pids] = [table.f64('time'), table.u32('pid')];
  const [rss, pss] = [table.f64('rss'), table.f64('pss')];
  for (let row = 0; row < table.rows; row++) {
    const kind = kindOf(pids[row]!, times[row]!);
    const sum = sums.get(kind) ?? new Sums();
    sums.set(kind, sum);
    sum.add(times[row]!, rss[row]!, pss[row]!);
  }
  if (sums.size < 2) return [];
  return [...sums]
    .sort(([, a], [, b]) => b.most - a.most)
    .slice(0, MOST_KINDS)
    .map(([kind, sum]) => sum.series(kind));
}

/** Who owned a pid when: a pid may be used again. */
export function kindFinder(recording: Recording): (pid: number, ns: number) => string {
  const table = recording.table('processes');
  const [pids, firsts, roles, names] = [
    table.u32('pid'),
    table.f64('first_seen'),
    table.u32('role'),
    table.u32('name'),
  ];
  const owners = new Map<number, { from: number; kind: string }[]>();
  for (let row = 0; row < table.rows; row++) {
    const role = recording.text(roles[row]!) || recording.text(names[row]!) || 'process';
    const list = owners.get(pids[row]!) ?? [];
    list.push({ from: firsts[row]!, kind: role.replace(/ \d+$/, '') });
    owners.set(pids[row]!, list);
  }
  for (const list of owners.values()) list.sort((a, b) => a.from - b.from);
  return (pid, ns) => {
    const list = owners.get(pid);
    if (!list) return 'process';
    let found = list[0]!;
    for (const owner of list) if (owner.from <= ns) found = owner;
    return found.kind;
  };
}

/** Sums of one kind at each sample. */
class Sums {
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
  series(kind: string): RoleSeries {
    const members = mode(this.#count);
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
      kind,
      members,
      pss: pick(`${kind}.pss`, this.#pss),
      rss: pick(`${kind}.rss`, this.#rss),
    };
  }
}

function mode(counts: readonly number[]): number {
  const seen = new Map<number, number>();
  for (const count of counts) seen.set(count, (seen.get(count) ?? 0) + 1);
  let best = 0;
  for (const [count, times] of seen) if (times > (seen.get(best) ?? 0)) best = count;
  return best;
}
