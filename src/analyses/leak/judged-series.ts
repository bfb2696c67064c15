import { agentLoadedNs, agentMemorySum } from '../../model/agent-memory.ts';
import { heldByProcess } from '../../model/held-memory.ts';
import type { Iterations } from '../../model/iterations.ts';
import type { Recording } from '../../model/recording.ts';
import { counterSeriesNames, type Series, series } from '../../model/series.ts';
import { workloadProcesses } from '../../model/workload-processes.ts';
import { counterSum } from './kind/process-sums.ts';
import { MemberSums } from './member-sums.ts';
import { minusRecorder } from './minus-recorder.ts';
import { roleFinder } from './roles.ts';
import { sinceLoaded } from './since-loaded.ts';

/** A series to judge: the tree's, the machine's, or that of all processes of one role. */
export interface JudgedSeries {
  readonly series: Series;
  /**
   * `tree-held`: what processes have that the kernel cannot take back; `cgroup-held`: the same of the workload's own
   * control group, each page once; `held`: of the machine. `file`: pages of mapped files. `device`: what torch's
   * allocator handed out or holds on a device; `shm`: /dev/shm in use.
   */
  readonly measure:
    | 'PSS'
    | 'RSS'
    | 'tree-held'
    | 'cgroup-held'
    | 'held'
    | 'file'
    | 'device'
    | 'shm';
  /** `data loader`, `worker`, `main`; null for the whole tree or machine. */
  readonly role: string | null;
  /** How many such processes there were at a time, as a rule. */
  readonly members: number | null;
}

export function judgedSeries(recording: Recording, iterations: Iterations): JudgedSeries[] {
  const found: JudgedSeries[] = [];
  const { tree, roles } = processSums(recording);
  const usual = tree.usualMembers(iterations);
  const add = (
    measure: JudgedSeries['measure'],
    s: Series | null,
    members: number | null = null,
  ) => {
    if (s && s.values.length > 0) found.push({ series: s, measure, role: null, members });
  };
  add('PSS', series(recording, 'tree.pss'), usual.members);
  add('RSS', series(recording, 'tree.rss'), usual.members);
  if (usual.share >= MOST_OF_THE_TIME) {
    add('tree-held', tree.series('held', 'tree.held', usual.members), usual.members);
    add('file', tree.series('file', 'tree.file', usual.members), usual.members);
  }
  add('cgroup-held', ownGroup(recording));
  add('held', minusRecorder(recording, 'host.held') ?? minusRecorder(recording, 'host.used'));
  for (const name of counterSeriesNames(recording)) {
    if (/^torch\d+\.(allocated|reserved)$/.test(name)) add('device', series(recording, name));
  }
  add('shm', counterSum(recording, 'shm.used', null));
  const all = [...found, ...roles.flatMap(([role, sums]) => ofRole(role, sums, iterations))];
  const loaded = agentLoadedNs(recording);
  return all.map((one) =>
    OF_PROCESSES.has(one.measure) ? { ...one, series: sinceLoaded(one.series, loaded) } : one,
  );
}

/** What processes have, by one way or another to count it. */
export const OF_PROCESSES: ReadonlySet<JudgedSeries['measure']> = new Set([
  'PSS',
  'RSS',
  'tree-held',
  'cgroup-held',
]);

/** Where the number of processes changes all the time, no sum over them is a trend of what they have. */
const MOST_OF_THE_TIME = 0.3;

function ofRole(role: string, sums: MemberSums, iterations: Iterations): JudgedSeries[] {
  const { members } = sums.usualMembers(iterations);
  const measures = [
    ['PSS', 'pss'],
    ['RSS', 'rss'],
    ['tree-held', 'held'],
    ['file', 'file'],
  ] as const;
  return measures
    .map(([measure, what]) => {
      return { measure, series: sums.series(what, `${role}.${what}`, members), role, members };
    })
    .filter(({ series: { values } }) => values.length > 0);
}

/** The workload's own control group knows each page once, whoever shares it. The agent's part is taken off. */
function ownGroup(recording: Recording): Series | null {
  if (!recording.run.cgroup?.own) return null;
  const held = series(recording, 'cgroup.held');
  if (!held) return null;
  const ours = agentMemorySum(recording);
  return { ...held, values: held.values.map((value, i) => value - ours(held.times[i]!)) };
}

/** The roles that held most are judged; a build with a thousand compilers has too many. */
const MOST_ROLES = 8;

/** Of the whole tree, and of each role: `worker 1`, `worker 2` … all play the role `worker`. No roles where there is one only, which is the tree. */
function processSums(recording: Recording): { tree: MemberSums; roles: [string, MemberSums][] } {
  const roleAt = roleFinder(recording);
  const tree = new MemberSums();
  const roles = new Map<string, MemberSums>();
  const table = workloadProcesses(recording);
  const [times, pids] = [table.f64('time'), table.u32('pid')];
  const [rss, pss, file] = [table.f64('rss'), table.f64('pss'), table.f64('file')];
  const held = heldByProcess(table);
  for (let row = 0; row < table.rows; row++) {
    const role = roleAt(pids[row]!, times[row]!);
    const sums = roles.get(role) ?? new MemberSums();
    roles.set(role, sums);
    const sizes = { rss: rss[row]!, pss: pss[row]!, held: held[row]!, file: file[row]! };
    for (const sum of [tree, sums]) sum.add(times[row]!, sizes);
  }
  const largest = [...roles].sort(([, a], [, b]) => b.most - a.most).slice(0, MOST_ROLES);
  return { tree, roles: roles.size < 2 ? [] : largest };
}
