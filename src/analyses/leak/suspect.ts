import type { Recording } from '../../model/recording.ts';
import type { Pids } from './kind/process-sums.ts';
import { type ProcessGrowth, processGrowth } from './process-growth.ts';
import { roleFinder, withoutNumber } from './roles.ts';
import type { Trend } from './trend.ts';
import type { WorkloadSpan } from './workload-span.ts';

/** Who grows, by the series that shows it best. */
export interface Suspect {
  readonly series: string;
  readonly measure: Trend['measure'];
  /** `data loader`, `main`; null for the whole tree or machine. */
  readonly role: string | null;
  /** How many processes of that role there were at a time. */
  readonly members: number | null;
  /** The same processes by the other measure; null where it was not recorded. */
  readonly other: { readonly measure: Trend['measure']; readonly grows: boolean } | null;
  /** `data loader 2 (pid 4711)`, `4 data loaders`; null for the whole tree or machine. */
  readonly process: string | null;
  /** The processes that are meant; null: all. */
  readonly pids: Pids;
}

/** The other measure grows too when it shows at least this share of the growth; so does a process beside the one that grows most. */
const GROWS_TOO = 0.3;
/** More processes are not named one by one. */
const MOST_NAMED = 3;

/** What each measure is compared with. */
const OTHER: Readonly<Partial<Record<Trend['measure'], Trend['measure']>>> = {
  PSS: 'RSS',
  RSS: 'PSS',
};

/** The role that grows most, where one leaks and explains half or more, or those of its processes that do; else the whole. */
export function suspectOf(
  leaking: Trend,
  all: readonly Trend[],
  recording: Recording,
  span: WorkloadSpan,
): Suspect {
  const ofRoles = measureOfRoles(leaking, all);
  // PSS is read seldom, and shows less surely that it grows than the group does: it only has to tell who.
  const proven = leaking.measure === 'cgroup-held' && ofRoles === 'PSS';
  const roles = all
    .filter(({ role, verdict, measure }) => {
      return role !== null && (verdict === 'leak' || proven) && measure === ofRoles;
    })
    .sort((a, b) => b.growthBytes - a.growthBytes);
  const [most] = roles;
  const named = most && most.growthBytes > leaking.growthBytes / 2 ? most : leaking;
  const other = OTHER[named.measure];
  const twin = all.find(({ role, measure }) => role === named.role && measure === other);
  // PSS also moves with unrelated processes: inconclusive, it does not show that anything is flat.
  const comparable = twin && (twin.measure === 'RSS' || twin.verdict !== 'inconclusive');
  const { role, members, process, pids } = whoGrows(named, recording, span);
  return {
    series: named.series,
    measure: named.measure,
    role,
    members,
    other: comparable
      ? { measure: twin.measure, grows: twin.growthBytes > GROWS_TOO * named.growthBytes }
      : null,
    process,
    pids,
  };
}

/**
 * A control group knows no processes: they are told by what they hold themselves; where that does not grow they stop
 * sharing pages, and are told by their share.
 */
function measureOfRoles({ measure, growthBytes }: Trend, all: readonly Trend[]): Trend['measure'] {
  if (measure !== 'cgroup-held') return measure;
  const whole = all.find((trend) => trend.role === null && trend.measure === 'tree-held');
  return whole && whole.growthBytes < GROWS_TOO * growthBytes ? 'PSS' : 'tree-held';
}

/** One process after the other, and a role as such only where most of its processes grow. */
function whoGrows(
  named: Trend,
  recording: Recording,
  span: WorkloadSpan,
): Pick<Suspect, 'role' | 'members' | 'process' | 'pids'> {
  const kind = named.role;
  const among = processGrowth(recording, span, named).filter(({ role }) => {
    return kind === null || withoutNumber(role) === kind;
  });
  const growing = among.filter(({ growthBytes }, _, [first]) => {
    return growthBytes > 0 && growthBytes >= GROWS_TOO * first!.growthBytes;
  });
  const explained = growing.reduce((sum, { growthBytes }) => sum + growthBytes, 0);
  const few = growing.length <= Math.min(MOST_NAMED, (named.members ?? among.length) / 2);
  const one = among.length === 1;
  if (growing.length > 0 && (few || one) && explained > named.growthBytes / 2) {
    return {
      role: kind ?? (one ? null : commonRole(growing)),
      members: kind === null ? null : named.members,
      process: growing.map(processWords).join(', '),
      pids: new Set(growing.flatMap(({ pids }) => pids)),
    };
  }
  const role = kind ?? roleThatGrows(among, named.growthBytes);
  const members = kind === null && role !== null ? membersOf(role, among) : named.members;
  const process = role === null ? null : roleWords(role, members, among);
  return { role, members, process, pids: pidsOf(recording, role) };
}

/** The role whose processes explain the growth together, where no other grows beside it. */
function roleThatGrows(among: readonly ProcessGrowth[], growthBytes: number): string | null {
  const sums = new Map<string, number>();
  for (const { role, growthBytes: grown } of among) {
    const kind = withoutNumber(role);
    sums.set(kind, (sums.get(kind) ?? 0) + Math.max(0, grown));
  }
  const [most, next] = [...sums].sort((a, b) => b[1] - a[1]);
  if (!most || most[1] < growthBytes / 2) return null;
  return (next?.[1] ?? 0) < GROWS_TOO * most[1] ? most[0] : null;
}

const membersOf = (kind: string, among: readonly ProcessGrowth[]): number =>
  among.filter(({ role }) => withoutNumber(role) === kind).length;

function commonRole(processes: readonly ProcessGrowth[]): string | null {
  const roles = new Set(processes.map(({ role }) => withoutNumber(role)));
  return roles.size === 1 ? [...roles][0]! : null;
}

function roleWords(kind: string, members: number | null, among: readonly ProcessGrowth[]): string {
  if (members !== null && members > 1) return `${members} ${kind}s`;
  return among.length === 1 ? processWords(among[0]!) : kind;
}

/** `data loader 2 (pid 4711)`; of several that followed each other in its role, the last. */
const processWords = ({ role, pids }: ProcessGrowth) => `${role} (pid ${pids.at(-1)})`;

/** The processes of a role; null: the whole tree. */
function pidsOf(recording: Recording, role: string | null): Pids {
  if (role === null) return null;
  const roleAt = roleFinder(recording);
  const processes = recording.table('processes');
  const [pids, firsts] = [processes.u32('pid'), processes.f64('first_seen')];
  return new Set(pids.filter((pid, row) => roleAt(pid, firsts[row]!) === role));
}
