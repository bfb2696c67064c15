import type { Recording } from '../../../model/recording.ts';
import type { RunInfo } from '../../../model/run.ts';
import type { Culprit } from '../culprit.ts';
import { kindFinder } from '../roles.ts';
import type { Span } from '../span.ts';
import type { Trend } from '../trend.ts';
import { iterationsOf } from '../values.ts';
import { type ObjectGrowth, objectGrowth } from './object-growth.ts';
import { paceOf } from './pace.ts';
import { type PartGrowth, partGrowth } from './profiled.ts';
import { columnSum, counterSum, type Members } from './readings.ts';
import { type TensorGrowth, tensorGrowth } from './tensor-growth.ts';

/** What is known of the processes that leak, in bytes or numbers for each iteration or second. */
export interface Clues {
  readonly per: 'iteration' | 'second';
  /** By how much that grows which leaks. */
  readonly growth: number;
  readonly culprit: Culprit;
  /** `torch0` where it is the memory of a device. */
  readonly device: string | null;
  /** How fast a series of these processes grows, by its short name; absent: not measured. */
  readonly rates: ReadonlyMap<string, number>;
  readonly tensors: readonly TensorGrowth[];
  /** Of models whose layers were followed, the largest first. */
  readonly parts: readonly PartGrowth[];
  readonly containers: readonly ObjectGrowth[];
  readonly types: readonly ObjectGrowth[];
  /** Files in /dev/shm that appeared meanwhile and stayed. */
  readonly files: NonNullable<RunInfo['leftInShm']>;
}

const COLUMNS = ['pss', 'rss', 'anon', 'file', 'shmem'];
/** Read at nearly every iteration … */
const COUNTERS = ['malloc.in_use', 'malloc.free', 'python.blocks', 'shm.used'];
/** … and at a few only, as each look is dear. */
const SURVEYED = ['tensors.bytes', 'tensors.with_graph'];

export function cluesOf(recording: Recording, span: Span, leaking: Trend, culprit: Culprit): Clues {
  const device = /^(torch\d+)\./.exec(leaking.series)?.[1] ?? null;
  const members = membersOf(recording, culprit.role);
  const pace = paceOf(leaking.over, iterationsOf(recording), span);
  const rates = new Map<string, number>();
  const note = (name: string, rate: number | null) => {
    if (rate !== null) rates.set(name, rate);
  };
  for (const name of COLUMNS) note(name, pace.slope(columnSum(recording, name, members)));
  const onDevice = device ? [`${device}.allocated`, `${device}.reserved`] : [];
  for (const name of [...COUNTERS, ...onDevice]) {
    note(name, pace.slope(counterSum(recording, name, members)));
  }
  for (const name of SURVEYED) note(name, pace.rise(counterSum(recording, name, members)));
  const objects = objectGrowth(recording, members, pace);
  return {
    per: pace.per,
    growth: leaking.slope.bytes,
    culprit,
    device,
    rates,
    tensors: tensorGrowth(recording, members, pace),
    parts: partGrowth(recording, members),
    containers: objects.filter(({ kind }) => kind === 'container'),
    types: objects.filter(({ kind }) => kind === 'type'),
    files: recording.run.leftInShm ?? [],
  };
}

/** The processes of a role; null: the whole tree. */
function membersOf(recording: Recording, role: string | null): Members {
  if (role === null) return null;
  const kindOf = kindFinder(recording);
  const people = recording.table('processes');
  const [pids, firsts] = [people.u32('pid'), people.f64('first_seen')];
  return new Set(pids.filter((pid, row) => kindOf(pid, firsts[row]!) === role));
}
