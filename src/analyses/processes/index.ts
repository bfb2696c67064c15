import { group, max, min } from 'd3-array';
import { SECOND_NS } from '../../base/time.ts';
import { origin } from '../../model/origin.ts';
import type { Recording } from '../../model/recording.ts';
import { series } from '../../model/series.ts';
import { workloadProcesses } from '../../model/workload-processes.ts';
import { type KnownProcess, KnownProcesses } from './known-processes.ts';
import { type OwnMemory, ownMemory } from './own-memory.ts';
import { ProcessTally, type TallyKey } from './tally.ts';

/** What one process, or all processes that played one role after another, held. */
export interface ProcessFacts {
  readonly pids: readonly number[];
  readonly role: string;
  readonly name: string;
  readonly argv: string;
  readonly rank: number | null;
  /** Largest RSS at a sample; of a role, summed over those that lived at the same time. */
  readonly peakRss: number | null;
  readonly peakSeconds: number | null;
  /** The kernel's own high-water mark (VmHWM) of one process: exact also between samples. */
  readonly hwm: number | null;
  /** At the tree's peak; null when it did not live then or was not measured. */
  readonly rssAtPeak: number | null;
  readonly pssAtPeak: number | null;
  readonly firstSeconds: number | null;
  readonly lastSeconds: number | null;
}

/** Who held the memory. */
export interface Processes {
  readonly type: 'processes';
  /** The tree's peak (of PSS, else of RSS), the moment of `…AtPeak`. */
  readonly peakSeconds: number | null;
  /** A row each process, in order of appearance. */
  readonly processes: readonly ProcessFacts[];
  /** A row each role, the largest holder first; a process without a role stands for itself. */
  readonly roles: readonly ProcessFacts[];
  /** Highwater's own among them, which no figure above counts. */
  readonly own: readonly OwnMemory[];
}

export function processes(recording: Recording): Processes {
  const zero = origin(recording).ns;
  const known = new KnownProcesses(recording);
  const peakNs = treePeak(recording);
  const single = new ProcessTally(peakNs, (pid, ns) => known.at(pid, ns));
  const byRole = new ProcessTally(peakNs, (pid, ns) => roleKey(known.at(pid, ns)));
  for (const tally of [single, byRole]) tally.addAll(workloadProcesses(recording));

  const facts = (
    tally: ProcessTally,
    key: TallyKey,
    members: readonly KnownProcess[],
  ): ProcessFacts => {
    const held = tally.of(key);
    const first = members[0]!;
    const firstNs = min([...members.map((m) => m.firstNs), held?.firstNs ?? Number.NaN]);
    const lastNs = max([...members.map((m) => m.lastNs), held?.lastNs ?? Number.NaN]);
    const seconds = (ns: number | undefined) => (ns === undefined ? null : (ns - zero) / SECOND_NS);
    return {
      pids: members.map((m) => m.pid),
      role: first.role,
      name: first.name,
      argv: first.argv,
      rank: first.rank,
      peakRss: orNull(held?.peakRss),
      peakSeconds: held && !Number.isNaN(held.peakNs) ? seconds(held.peakNs) : null,
      hwm: orNull(held?.hwm),
      rssAtPeak: orNull(held?.rssAtPeak),
      pssAtPeak: orNull(held?.pssAtPeak),
      firstSeconds: seconds(firstNs),
      lastSeconds: seconds(lastNs),
    };
  };
  const grouped = group(known.all, roleKey);
  return {
    type: 'processes',
    peakSeconds: peakNs === null ? null : (peakNs - zero) / SECOND_NS,
    processes: known.all.map((m) => facts(single, m, [m])),
    roles: [...grouped]
      .map(([key, members]) => facts(byRole, key, members))
      .sort((a, b) => weight(b) - weight(a) || (b.peakRss ?? 0) - (a.peakRss ?? 0)),
    own: ownMemory(recording, zero),
  };
}

const roleKey = (member: KnownProcess): TallyKey => member.role || member;
const weight = (facts: ProcessFacts) => facts.pssAtPeak ?? facts.rssAtPeak ?? 0;
const orNull = (value: number | undefined) =>
  value === undefined || Number.isNaN(value) ? null : value;

function treePeak(recording: Recording): number | null {
  const tree = series(recording, 'tree.pss') ?? series(recording, 'tree.rss');
  if (!tree) return null;
  let best = 0;
  for (let i = 1; i < tree.values.length; i++) if (tree.values[i]! > tree.values[best]!) best = i;
  return tree.times[best]!;
}
