import { SECOND_NS } from '../../../base/time.ts';
import { agentLoadedNs, agentMemorySum } from '../../../model/agent-memory.ts';
import { type CacheHolder, cacheHolders } from '../../../model/cache-holders.ts';
import { growth } from '../../../model/layers/growth.ts';
import { layerHistories } from '../../../model/layers/history.ts';
import { isLive } from '../../../model/layers/kinds.ts';
import type { Recording } from '../../../model/recording.ts';
import type { RunInfo } from '../../../model/run.ts';
import type { Series } from '../../../model/series.ts';
import { sinceLoaded } from '../since-loaded.ts';
import type { Suspect } from '../suspect.ts';
import type { Trend } from '../trend.ts';
import { iterationsOf } from '../trend-values.ts';
import type { WorkloadSpan } from '../workload-span.ts';
import { type Arrivals, arrivals } from './arrivals.ts';
import { type GrowthRate, growthRate } from './growth-rate.ts';
import { heldByV8 } from './held-by-v8.ts';
import { type ObjectGrowth, objectGrowth } from './object-growth.ts';
import { pinnedHolder } from './pinned-holder.ts';
import { columnSum, counterSum, type Pids } from './process-sums.ts';
import { type Program, programOf } from './program.ts';
import { type TensorGrowth, tensorGrowth } from './tensor-growth.ts';

/** What grows in the processes that leak, in bytes or numbers for each iteration or second. */
export interface GrowthBreakdown {
  readonly per: 'iteration' | 'second';
  /** The slope of the leaking trend, and what it makes over the judged time. */
  readonly growth: number;
  readonly grownBytes: number;
  readonly suspect: Suspect;
  /** `torch0` where it is the memory of a device. */
  readonly device: string | null;
  /** How fast a series of these processes grows, by its short name; absent: not measured. */
  readonly rates: ReadonlyMap<string, number>;
  readonly tensors: readonly TensorGrowth[];
  /** What held more and more of them as the program served, and how fast it did. */
  readonly caches: readonly CacheGrowth[];
  /** Who holds more and more of them in pinned memory. */
  readonly pinnedHolder: string | null;
  /** Of models whose layers were followed, the largest first. */
  readonly parts: readonly PartGrowth[];
  readonly containers: readonly ObjectGrowth[];
  readonly types: readonly ObjectGrowth[];
  /** What autograd keeps for one tensor, the one that gains most nodes first. */
  readonly graphs: readonly ObjectGrowth[];
  /** Where ever more processes come and stay. */
  readonly arrivals: Arrivals | null;
  readonly program: Program;
  /** Files in /dev/shm that appeared meanwhile and stayed. */
  readonly files: NonNullable<RunInfo['leftInShm']>;
}

export interface CacheGrowth {
  readonly cache: CacheHolder;
  readonly bytesRate: number;
}

/** A part of a model that grows with the iterations, as the layer profiler measured it. */
export interface PartGrowth {
  /** `kept tensors of conv1`. */
  readonly name: string;
  readonly bytesPerIteration: number;
}

const COLUMNS = ['pss', 'rss', 'anon', 'file', 'shmem'];
/** Measured at nearly every iteration … */
const COUNTERS = [
  'malloc.in_use',
  'malloc.free',
  'python.blocks',
  'shm.used',
  'pinned.allocated',
  'pinned.reserved',
  'os.threads',
  'os.files',
];
/** … and at a few only, as each survey is expensive. */
const SURVEYED = ['tensors.bytes', 'tensors.with_graph', 'looks.taken', 'looks.cut'];

export function growthBreakdown(
  recording: Recording,
  span: WorkloadSpan,
  leaking: Trend,
  suspect: Suspect,
): GrowthBreakdown {
  const device = /^(torch\d+)\./.exec(leaking.series)?.[1] ?? null;
  const only = suspect.pids;
  const rate = growthRate(leaking.over, iterationsOf(recording), span);
  const rates = new Map<string, number>();
  const note = (name: string, rate: number | null) => {
    if (rate !== null) rates.set(name, rate);
  };
  const loaded = agentLoadedNs(recording);
  const slope = (series: Series) => rate.slope(sinceLoaded(series, loaded)) ?? rate.slope(series);
  for (const name of COLUMNS) note(name, slope(columnSum(recording, name, only)));
  if (leaking.measure === 'cgroup-held') note('group.anon', slope(groupAnon(recording)));
  const onDevice = device ? [`${device}.allocated`, `${device}.reserved`] : [];
  for (const name of [...COUNTERS, ...onDevice]) {
    note(name, slope(programCounter(recording, name, only)));
  }
  for (const name of SURVEYED) note(name, rate.rise(counterSum(recording, name, only)));
  for (const [name, of] of heldByV8(recording, span, leaking, only, rate)) rates.set(name, of);
  const objects = objectGrowth(recording, only, rate);
  const more = leaking.line && arrivals(recording, ...rangeOf(leaking.line, span));
  if (more) rates.set('processes', more.processes / lengthOf(leaking));
  return {
    per: rate.per,
    growth: leaking.slope.bytes,
    grownBytes: leaking.growthBytes,
    suspect,
    device,
    rates,
    tensors: tensorGrowth(recording, only, rate),
    caches: cacheGrowth(recording, only, rate),
    pinnedHolder: pinnedHolder(recording, only),
    parts: partGrowth(recording, only),
    containers: objects.filter(({ kind }) => kind === 'container'),
    types: objects.filter(({ kind }) => kind === 'type'),
    graphs: objects
      .filter(({ kind }) => kind === 'graph')
      .sort((a, b) => b.countRate - a.countRate),
    arrivals: more,
    program: programOf(recording, only),
    files: recording.run.leftInShm ?? [],
  };
}

const rangeOf = (
  { fromSeconds, toSeconds }: NonNullable<Trend['line']>,
  { zeroNs }: WorkloadSpan,
): [number, number] => [zeroNs + fromSeconds * SECOND_NS, zeroNs + toSeconds * SECOND_NS];

/** In iterations, or in seconds. */
const lengthOf = ({ iterations, line }: Trend): number =>
  iterations === null ? line!.toSeconds - line!.fromSeconds : iterations;

/** The control group's own count of anonymous memory: each page once, whoever shares it. */
function groupAnon(recording: Recording): Series {
  const group = recording.table('cgroup');
  const [times, anon] = [group.f64('time'), group.f64('anon')];
  const known = [...anon.keys()].filter((row) => !Number.isNaN(anon[row]!));
  const pick = (values: Float64Array) => Float64Array.from(known, (row) => values[row]!);
  return { name: 'group.anon', times: pick(times), values: pick(anon) };
}

/** What malloc has handed out is partly the agent's. */
function programCounter(recording: Recording, name: string, only: Pids): Series {
  const sum = counterSum(recording, name, only);
  if (name !== 'malloc.in_use') return sum;
  const ours = agentMemorySum(recording, only);
  return { ...sum, values: sum.values.map((value, i) => value - ours(sum.times[i]!)) };
}

/** Those that grew to the end: what is bounded is nobody's leak. */
function cacheGrowth(recording: Recording, only: Pids, rate: GrowthRate): CacheGrowth[] {
  return cacheHolders(recording)
    .filter(({ pid, course }) => course === 'grows' && (only === null || only.has(pid)))
    .flatMap((cache) => {
      const [first, last] = [cache.looks[0]!, cache.looks.at(-1)!];
      const bytesRate = rate.of(last.bytes - first.bytes, first.ns, last.ns);
      return bytesRate ? [{ cache, bytesRate }] : [];
    });
}

function partGrowth(recording: Recording, only: Pids): PartGrowth[] {
  return layerHistories(recording)
    .filter(({ pid }) => only === null || only.has(pid))
    .flatMap(({ parts, iterations }) =>
      parts
        .filter(({ kind }) => isLive(kind))
        .flatMap(({ name, kind, changes }) => {
          const grown = growth(changes, iterations.length);
          if (!grown) return [];
          const what = kind === 'kept' ? 'kept tensors' : kind.replaceAll('_', ' ');
          const { bytesPerIteration } = grown;
          return [{ name: name ? `${what} of ${name}` : what, bytesPerIteration }];
        }),
    )
    .sort((a, b) => b.bytesPerIteration - a.bytesPerIteration);
}
