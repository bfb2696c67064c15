import type { Recording } from '../../model/recording.ts';
import { unlessInUseIsFlat } from './in-use.ts';
import { unlessInUseGrows } from './in-use-growth.ts';
import type { Trend } from './trend.ts';
import { trendEvidence } from './trend-evidence.ts';
import { enoughValues } from './trend-rules.ts';
import { iterationsOf, trendValues } from './trend-values.ts';
import { unlessV8HoldsMore } from './v8-held.ts';
import type { WorkloadSpan } from './workload-span.ts';

/**
 * The trend by which the whole run is judged: that of memory which the kernel cannot take back. The workload's own
 * control group knows it exactly, each page once. Without one it is what its processes have together; of several
 * processes PSS has to agree, as those that copy what they shared do not grow themselves. The machine's own memory
 * counts only where no process was watched, as all processes share it. A device's memory counts where it leaks and
 * nothing on the host leaks more; files in /dev/shm where no process grows, as they belong to none.
 */
export function headlineTrend(
  all: readonly Trend[],
  recording: Recording,
  span: WorkloadSpan,
): Trend | null {
  const shown = hostTrend(all, () => shmemGrowth(recording, span));
  const host = shown && byWhatIsInUse(shown, all, recording, span);
  const [device] = all
    .filter(({ measure, verdict }) => measure === 'device' && verdict === 'leak')
    .sort((a, b) => b.growthBytes - a.growthBytes);
  const deviceLeaksMore =
    device && (host?.verdict !== 'leak' || device.growthBytes > host.growthBytes);
  if (deviceLeaksMore) return device;
  return host?.verdict === 'leak' ? host : (shmTrend(all, recording) ?? host);
}

/** A process's own words about what it has in use tell more than its size. */
function byWhatIsInUse(
  shown: Trend,
  all: readonly Trend[],
  recording: Recording,
  span: WorkloadSpan,
): Trend {
  const flat = unlessInUseIsFlat(shown, all, recording, span);
  return unlessV8HoldsMore(unlessInUseGrows(flat, recording, span), recording, span);
}

/** All processes share /dev/shm: its growth is the workload's where new files left half as much or more there. A control group of its own knows better. */
function shmTrend(all: readonly Trend[], { run }: Recording): Trend | null {
  if (all.some(({ measure }) => measure === 'cgroup-held')) return null;
  const growing = all.find(({ measure, verdict }) => measure === 'shm' && verdict === 'leak');
  const left = (run.leftInShm ?? []).reduce((sum, { bytes }) => sum + bytes, 0);
  return growing && left > growing.growthBytes / 2 ? growing : null;
}

function hostTrend(all: readonly Trend[], shmem: () => ShmemGrowth): Trend | null {
  const whole = (measure: Trend['measure']) =>
    all.find((trend) => trend.role === null && trend.measure === measure) ?? null;
  const group = whole('cgroup-held');
  const [tree, pss] = [whole('tree-held'), whole('PSS')];
  if (group && enoughValues(group)) return byGroup(group, tree, pss, all);
  if (!tree) return byResident(whole, all);
  return byProcesses(tree, pss, all, shmem);
}

/** The group tells whether it leaks and how much; processes that show the same tell who. */
function byGroup(
  group: Trend,
  tree: Trend | null,
  pss: Trend | null,
  all: readonly Trend[],
): Trend {
  const agrees = ({ growthBytes, measure }: Trend) => {
    const same = measure === 'PSS' ? SAME_BY_PSS : SAME;
    return growthBytes > group.growthBytes / same && growthBytes < group.growthBytes * same;
  };
  const leaksToo = (trend: Trend | null | undefined) => trend?.verdict === 'leak' && agrees(trend);
  if (group.verdict === 'leak') {
    const shown = [tree, pss].find(leaksToo);
    return shown ?? group;
  }
  if (group.verdict !== 'inconclusive') return group;
  // What it shows to be uneven is so. Where it is noise that it cannot tell from a leak, the processes may: they are read more often.
  if (group.slope.low > 0) return tree && isAlone(tree) ? byItsProcess(group, tree, agrees) : group;
  const shown = [tree, roleThatLeaks(all, group), pss].find(leaksToo);
  if (shown) return shown;
  if (!tree || !isAlone(tree)) return group;
  const tells = tree.verdict === 'leak' ? isWithin(tree, group) : quieter(tree, group);
  return tells ? tree : group;
}

/**
 * A process that is alone in its group is all that can leak there. The kernel adds up a group's pages in lots, at times
 * seconds late, so that even growth looks uneven in it: the process, which is read more often, knows better whether it
 * is, and whether the little that the group shows has ended.
 */
function byItsProcess(group: Trend, tree: Trend, agrees: (trend: Trend) => boolean): Trend {
  if (tree.values <= group.values || tree.verdict === 'inconclusive') return group;
  if (tree.verdict !== 'leak') {
    const counts = !group.bound || group.bound.growthBytes >= group.floorBytes;
    return counts ? group : tree;
  }
  // Judged over all of the time, as its readings are too few for the iterations, it has to show as much at least.
  const longer = group.over === 'time' && tree.over === 'iterations';
  const shows = longer ? group.growthBytes > tree.growthBytes / SAME : agrees(tree);
  return shows ? tree : group;
}

/** Two measures show the same growth where neither is more than this many times the other. */
const SAME = 1.3;
/** PSS is read less often, and estimated in between. */
const SAME_BY_PSS = 2;

/** Noise of one that hides nothing of what the other shows. */
const isWithin = ({ over, slope }: Trend, noisy: Trend) =>
  over === noisy.over && slope.bytes > noisy.slope.low && slope.bytes < noisy.slope.high;

const isAlone = ({ members }: Trend) => members === 1;
const width = ({ slope }: Trend) => slope.high - slope.low;
const quieter = (a: Trend, b: Trend) =>
  a.verdict !== 'inconclusive' || (a.over === b.over && width(a) < width(b));

function byProcesses(
  tree: Trend,
  pss: Trend | null,
  all: readonly Trend[],
  shmem: () => ShmemGrowth,
): Trend {
  const leaking = tree.verdict === 'leak' ? tree : roleThatLeaks(all, tree);
  if (leaking) return unlessMapped(leaking, shmem());
  if (!pss || isAlone(tree)) return tree;
  if (pss.verdict === 'leak') return pss;
  if (pss.rule === 'mapped files' || pss.verdict !== 'inconclusive') return tree;
  return tree.verdict === 'inconclusive' ? tree : { ...pss, because: COPIES };
}

const COPIES =
  'the processes did not grow, but PSS does not show that they went on sharing what they share';

/** Where the whole is too noisy to tell, one role of it may not be. */
const roleThatLeaks = (all: readonly Trend[], whole: Trend): Trend | undefined =>
  all.find(
    ({ role, measure, verdict, growthBytes }) =>
      role !== null &&
      measure === 'tree-held' &&
      verdict === 'leak' &&
      whole.verdict === 'inconclusive' &&
      whole.growthBytes > growthBytes / 2,
  );

interface ShmemGrowth {
  /** Of the shared memory that the processes map, and of all that the machine has. */
  readonly mapped: number;
  readonly machine: number;
}

/** To map shared memory that was there already makes a process larger, and takes no memory. */
function unlessMapped(leaking: Trend, { mapped, machine }: ShmemGrowth): Trend {
  if (!(mapped > leaking.growthBytes / 2) || !(machine < mapped / 2)) return leaking;
  return {
    ...leaking,
    verdict: 'inconclusive',
    rule: 'shared memory',
    because:
      'it maps more and more shared memory, but that was there before: the machine has no more of it',
  };
}

function shmemGrowth(recording: Recording, span: WorkloadSpan): ShmemGrowth {
  const host = recording.table('host');
  const process = recording.table('process');
  const iterations = iterationsOf(recording);
  const growth = (times: Float64Array, values: Float64Array) => {
    const known = [...values.keys()].filter((row) => !Number.isNaN(values[row]!));
    const pick = (all: Float64Array) => Float64Array.from(known, (row) => all[row]!);
    const picked = trendValues(
      { name: '', times: pick(times), values: pick(values) },
      iterations,
      span,
    );
    return picked.y.length > 1 ? trendEvidence(picked).growth : Number.NaN;
  };
  const shared = sumByTime(process.f64('time'), process.f64('shmem'));
  return {
    mapped: growth(shared.times, shared.values),
    machine: growth(host.f64('time'), host.f64('Shmem')),
  };
}

function sumByTime(times: Float64Array, values: Float64Array) {
  const sums = new Map<number, number>();
  for (const [row, time] of times.entries()) sums.set(time, (sums.get(time) ?? 0) + values[row]!);
  return { times: Float64Array.from(sums.keys()), values: Float64Array.from(sums.values()) };
}

/**
 * Of recordings that tell only how large a process is: PSS, as summed RSS counts shared pages many times over.
 * Where it cannot tell, a role or RSS does, if the tree's growth is as large.
 */
function byResident(
  whole: (measure: Trend['measure']) => Trend | null,
  all: readonly Trend[],
): Trend | null {
  const tree = whole('PSS') ?? whole('RSS');
  if (!tree) return whole('held');
  if (tree.verdict !== 'inconclusive') return tree;
  const leaks = all.filter(
    ({ verdict, measure }) => verdict === 'leak' && (measure === 'PSS' || measure === 'RSS'),
  );
  return leaks.find(({ growthBytes }) => tree.growthBytes > growthBytes / 2) ?? tree;
}
