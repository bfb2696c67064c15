import { MiB } from '../../base/bytes.ts';
import { SECOND_NS } from '../../base/time.ts';
import type { Recording } from '../../model/recording.ts';
import type { Series } from '../../model/series.ts';
import { type FlatLevel, flatLevel, type NoFlatLevel } from './flat-level.ts';
import { minusRecorder } from './minus-recorder.ts';
import { type RetainedAfterExit, retainedAfterExit } from './retained-after-exit.ts';
import {
  COUNTER_BYTES,
  LONGEST_NS,
  type Shelf,
  type ShelfLevels,
  SMALLEST_LEAK,
  secondsOf,
  Z99,
} from './shelf-levels.ts';
import type { WorkloadSpan } from './workload-span.ts';

/** Without a mark of the workload's start or end: this share of the recording. */
const EDGE_SHARE = 0.05;
/** Slabs and page tables of a machine at rest move by up to this much. */
const KERNEL_BYTES = MiB;

/** null: the machine's memory was not recorded. All processes share it, so it speaks only where nothing else does. */
export function machineShelf(recording: Recording, span: WorkloadSpan): Shelf | null {
  const held = minusRecorder(recording, 'host.held');
  const used = minusRecorder(recording, 'host.used');
  const main = held ?? used;
  return main && shelfOf(recording, span, main, held ? used : null);
}

function shelfOf(
  recording: Recording,
  span: WorkloadSpan,
  main: Series,
  beside: Series | null,
): Shelf {
  const counters = COUNTER_BYTES * Math.sqrt(Math.max(1, recording.run.host.cpus));
  const imported = recording.run.subject === 'import';
  const { levels, before, after } = levelsOf(main, span, counters, imported);
  const retained =
    levels.before && levels.after
      ? retainedAfterExit(recording, span.zeroNs, levels.before, levels.after)
      : null;
  const widened = withOthers(levels, retained);
  return {
    by: 'machine',
    ...widened,
    boundBytes: widened.steady
      ? Math.max(0, widened.leakedBytes! + widened.uncertaintyBytes!)
      : null,
    ...judge(widened, before, after, retained),
    remains: retained,
    used: beside && withDrift(levelsOf(beside, span, counters, imported).levels, levels),
  };
}

/** Caches come and go between two levels, however flat each of them is. */
function withDrift(used: ShelfLevels, held: ShelfLevels): ShelfLevels {
  if (used.leakedBytes === null || held.leakedBytes === null) return used;
  const drift = used.leakedBytes - held.leakedBytes;
  return { ...used, uncertaintyBytes: Math.hypot(used.uncertaintyBytes!, drift) };
}

/**
 * Changes of other processes meanwhile count as uncertainty in full, and so does the kernel's own memory,
 * up to what it takes and gives back by itself.
 */
function withOthers(levels: ShelfLevels, retained: RetainedAfterExit | null): ShelfLevels {
  if (levels.uncertaintyBytes === null || retained?.othersBytes == null) return levels;
  if (levels.series !== 'host.held') return levels;
  const kernel = Math.min(Math.abs(retained.kernelBytes), KERNEL_BYTES);
  return {
    ...levels,
    uncertaintyBytes: Math.hypot(levels.uncertaintyBytes, retained.othersBytes, kernel),
  };
}

function levelsOf(of: Series, span: WorkloadSpan, counters: number, imported: boolean) {
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
  const levels: ShelfLevels = {
    series: of.name,
    beforeBytes: bytesOf(before),
    afterBytes: bytesOf(after),
    leakedBytes: both ? after.bytes - before.bytes : null,
    uncertaintyBytes: both ? Math.hypot(Z99 * before.error, Z99 * after.error, counters) : null,
    steady: both && before.steady && after.steady,
    before: typeof before === 'string' ? null : secondsOf(before, span.zeroNs),
    after: typeof after === 'string' ? null : secondsOf(after, span.zeroNs),
  };
  return { levels, before, after };
}

/** A log begins when its program has loaded: a second before its first line the program had not started. */
function levelBefore(of: Series, startNs: number, imported: boolean): FlatLevel | NoFlatLevel {
  const found = flatLevel(of, startNs - LONGEST_NS, startNs);
  if (!imported || (typeof found !== 'string' && found.steady)) return found;
  const earlier = flatLevel(of, startNs - LONGEST_NS, startNs - SECOND_NS);
  return typeof earlier !== 'string' && earlier.steady ? earlier : found;
}

const bytesOf = (level: FlatLevel | NoFlatLevel) =>
  typeof level === 'string' ? null : level.bytes;

function judge(
  { leakedBytes, uncertaintyBytes }: ShelfLevels,
  before: FlatLevel | NoFlatLevel,
  after: FlatLevel | NoFlatLevel,
  retained: RetainedAfterExit | null,
): Pick<Shelf, 'verdict' | 'because'> {
  const decision = (verdict: Shelf['verdict'], because: string) => ({ verdict, because });
  if (typeof before === 'string')
    return decision('inconclusive', noLevel(before, 'before its start'));
  if (typeof after === 'string') return decision('inconclusive', noLevel(after, 'after its end'));
  if (!before.steady) return decision('inconclusive', noLevel('not flat', 'before its start'));
  if (!after.steady) return decision('inconclusive', noLevel('not flat', 'after its end'));
  const [leaked, error] = [leakedBytes!, uncertaintyBytes!];
  if (
    leaked > SMALLEST_LEAK &&
    retained?.workloadBytes != null &&
    retained.workloadBytes < leaked / 2
  ) {
    return decision(
      'inconclusive',
      "the machine held more after the workload, but not the workload's",
    );
  }
  if (leaked > Math.max(SMALLEST_LEAK, 3 * error)) {
    return decision('leak', 'more memory was held after the workload than before it');
  }
  if (leaked + error < SMALLEST_LEAK / 2 && leaked > -SMALLEST_LEAK) {
    return decision('bounded', 'as much memory was held after the workload as before it');
  }
  return leaked < 0
    ? decision(
        'inconclusive',
        'the machine held less after the workload: something else gave memory back',
      )
    : decision('inconclusive', 'the difference is too small to tell it from what others do');
}

const NO_LEVEL: Readonly<Record<NoFlatLevel, string>> = {
  missing: 'the machine was not recorded',
  'too short': 'the machine was recorded too briefly',
  'not flat': "the machine's memory was not steady",
};

const noLevel = (why: NoFlatLevel, when: string) => `${NO_LEVEL[why]} ${when}`;
