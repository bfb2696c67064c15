import { KiB, MiB } from '../../base/bytes.ts';
import { SECOND_NS } from '../../base/time.ts';
import type { Recording } from '../../model/recording.ts';
import { type Series, series } from '../../model/series.ts';
import { flatLevel, type Level, type NoLevel } from './flat.ts';
import { netOfRecorder } from './net.ts';
import { type Remains, remains } from './remains.ts';
import type { Verdict } from './rules.ts';
import type { Span } from './span.ts';

/** Two levels and their difference; null where a stretch has no level. Bytes. */
export interface Steps {
  readonly series: string;
  readonly beforeBytes: number | null;
  readonly afterBytes: number | null;
  readonly leakedBytes: number | null;
  /** Half the width of a 99 % interval. */
  readonly uncertaintyBytes: number | null;
  /** Both levels held still enough to be compared. */
  readonly steady: boolean;
  /** Where the levels were found. */
  readonly before: Stretch | null;
  readonly after: Stretch | null;
}

export interface Stretch {
  readonly fromSeconds: number;
  readonly toSeconds: number;
}

/** What the workload left behind: the machine's memory after it, less that before it. */
export interface Shelf extends Steps {
  readonly verdict: Exclude<Verdict, 'plateau'>;
  readonly because: string;
  /** `host.used` beside it: what the original leak test looked at, and far noisier. */
  readonly used: Steps | null;
  readonly remains: Remains | null;
}

/** Less is what any machine does in between: slabs, a daemon that wakes up. */
const SHELF_FLOOR = 8 * MiB;
/** With more than this, something that others do not touch may tell it better. */
const MOST_DOUBT = 2 * MiB;
/** Long enough for a level; further away others have changed it. */
const LONGEST_NS = 10 * SECOND_NS;
/** Without a mark that tells the workload's start or end: this share of the recording. */
const EDGE_SHARE = 0.05;
/** Counters that the kernel keeps for each processor are behind by about this much. */
const COUNTER_BYTES = 256 * KiB;
/** Slabs and page tables of a machine at rest move by up to this much. */
const KERNEL_BYTES = MiB;
const Z99 = 2.576;

/** null: the machine's memory was not recorded. */
export function shelf(recording: Recording, span: Span): Shelf | null {
  const held = netOfRecorder(recording, 'host.held');
  const used = netOfRecorder(recording, 'host.used');
  const main = held ?? used;
  if (!main) return null;
  const found = shelfOf(recording, span, main, held ? used : null);
  const sure = found.verdict !== 'inconclusive' && found.uncertaintyBytes! <= MOST_DOUBT;
  if (sure || !held) return found;
  // Others' processes come and go, but files in memory are few: they may be steady all the same.
  const shared = shelfOf(recording, span, sharedMemory(recording), used);
  if (shared.verdict === 'leak') return shared;
  return livingOn(recording, span, found) ?? found;
}

function shelfOf(recording: Recording, span: Span, main: Series, beside: Series | null): Shelf {
  const counters = COUNTER_BYTES * Math.sqrt(Math.max(1, recording.run.host.cpus));
  const imported = recording.run.subject === 'import';
  const { steps, before, after } = stepsOf(main, span, counters, imported);
  const left =
    steps.before && steps.after ? remains(recording, span.zeroNs, steps.before, steps.after) : null;
  const told = withOthers(steps, left);
  return {
    ...told,
    ...judge(told, before, after, left),
    remains: left,
    used: beside && withDrift(stepsOf(beside, span, counters, imported).steps, steps),
  };
}

/** Caches come and go between two levels, however still each of them is. */
function withDrift(used: Steps, held: Steps): Steps {
  if (used.leakedBytes === null || held.leakedBytes === null) return used;
  const drift = used.leakedBytes - held.leakedBytes;
  return { ...used, uncertaintyBytes: Math.hypot(used.uncertaintyBytes!, drift) };
}

/**
 * What other processes did in between is as much in doubt as it is large, and so is the kernel's own
 * memory, up to what it takes and gives back by itself.
 */
function withOthers(steps: Steps, left: Remains | null): Steps {
  if (steps.uncertaintyBytes === null || left?.othersBytes == null) return steps;
  if (steps.series !== 'host.held') return steps;
  const kernel = Math.min(Math.abs(left.kernelBytes), KERNEL_BYTES);
  return {
    ...steps,
    uncertaintyBytes: Math.hypot(steps.uncertaintyBytes, left.othersBytes, kernel),
  };
}

/** Processes of the workload's own that outlive it hold what they hold, whatever others do. */
function livingOn(recording: Recording, span: Span, found: Shelf): Shelf | null {
  const tree = series(recording, 'tree.pss') ?? series(recording, 'tree.rss');
  if (!tree || !span.startKnown || !span.endKnown) return null;
  const after = flatLevel(tree, span.endNs, span.endNs + LONGEST_NS);
  if (typeof after === 'string' || !after.steady || after.bytes <= SHELF_FLOOR) return null;
  return {
    ...found,
    series: tree.name,
    beforeBytes: 0,
    afterBytes: after.bytes,
    leakedBytes: after.bytes,
    uncertaintyBytes: Z99 * after.error + COUNTER_BYTES,
    steady: true,
    before: null,
    after: stretch(after, span.zeroNs),
    remains: {
      anonBytes: after.bytes,
      shmemBytes: 0,
      kernelBytes: 0,
      workloadBytes: after.bytes,
      othersBytes: null,
    },
    verdict: 'leak',
    because: 'processes of the workload live on after its end',
  };
}

function sharedMemory(recording: Recording): Series {
  const host = recording.table('host');
  return { name: 'Shmem', times: host.f64('time'), values: host.f64('Shmem') };
}

function stepsOf(of: Series, span: Span, counters: number, imported: boolean) {
  const first = of.times[0]!;
  const last = of.times[of.times.length - 1]!;
  const edge = EDGE_SHARE * (last - first);
  const before = span.startKnown
    ? levelBefore(of, span.startNs, imported)
    : flatLevel(of, first, first + edge);
  const after = span.endKnown
    ? flatLevel(of, span.endNs, span.endNs + LONGEST_NS)
    : flatLevel(of, last - edge, last);
  const both = typeof before !== 'string' && typeof after !== 'string';
  const steps: Steps = {
    series: of.name,
    beforeBytes: bytesOf(before),
    afterBytes: bytesOf(after),
    leakedBytes: both ? after.bytes - before.bytes : null,
    uncertaintyBytes: both ? Math.hypot(Z99 * before.error, Z99 * after.error, counters) : null,
    steady: both && before.steady && after.steady,
    before: typeof before === 'string' ? null : stretch(before, span.zeroNs),
    after: typeof after === 'string' ? null : stretch(after, span.zeroNs),
  };
  return { steps, before, after };
}

/** A log begins when its program has loaded: a second before its first line the program was not yet there. */
function levelBefore(of: Series, startNs: number, imported: boolean): Level | NoLevel {
  const found = flatLevel(of, startNs - LONGEST_NS, startNs);
  if (!imported || (typeof found !== 'string' && found.steady)) return found;
  const earlier = flatLevel(of, startNs - LONGEST_NS, startNs - SECOND_NS);
  return typeof earlier !== 'string' && earlier.steady ? earlier : found;
}

const bytesOf = (level: Level | NoLevel) => (typeof level === 'string' ? null : level.bytes);
const stretch = ({ fromNs, toNs }: Level, zeroNs: number): Stretch => ({
  fromSeconds: (fromNs - zeroNs) / SECOND_NS,
  toSeconds: (toNs - zeroNs) / SECOND_NS,
});

function judge(
  { leakedBytes, uncertaintyBytes }: Steps,
  before: Level | NoLevel,
  after: Level | NoLevel,
  left: Remains | null,
): Pick<Shelf, 'verdict' | 'because'> {
  const say = (verdict: Shelf['verdict'], because: string) => ({ verdict, because });
  if (typeof before === 'string') return say('inconclusive', wanting(before, 'before its start'));
  if (typeof after === 'string') return say('inconclusive', wanting(after, 'after its end'));
  if (!before.steady) return say('inconclusive', wanting('not flat', 'before its start'));
  if (!after.steady) return say('inconclusive', wanting('not flat', 'after its end'));
  const [leaked, error] = [leakedBytes!, uncertaintyBytes!];
  if (leaked > SHELF_FLOOR && left?.workloadBytes != null && left.workloadBytes < leaked / 2) {
    return say('inconclusive', "the machine held more after the workload, but not the workload's");
  }
  if (leaked > Math.max(SHELF_FLOOR, 3 * error)) {
    return say('leak', 'more memory was held after the workload than before it');
  }
  if (leaked + error < SHELF_FLOOR / 2 && leaked > -SHELF_FLOOR) {
    return say('bounded', 'as much memory was held after the workload as before it');
  }
  return leaked < 0
    ? say(
        'inconclusive',
        'the machine held less after the workload: something else gave memory back',
      )
    : say('inconclusive', 'the difference is too small to tell it from what others do');
}

const WANTING: Readonly<Record<NoLevel, string>> = {
  missing: 'the machine was not recorded',
  'too short': 'the machine was recorded too briefly',
  'not flat': "the machine's memory was not steady",
};

const wanting = (why: NoLevel, when: string) => `${WANTING[why]} ${when}`;
