import type { RankRecording } from '../analyses/report.ts';
import { UserError } from '../base/errors.ts';
import { summary } from '../model/allocations/curve.ts';
import { traces } from '../model/allocations/trace.ts';
import type { Files } from '../model/disk/recording-files.ts';
import type { Recording } from '../model/recording.ts';
import type { SnapshotInfo } from '../model/run.ts';
import { openForeignBytes } from './foreign-bytes.ts';

/** Traces of so many ranks are read to hold them against each other; a hundred would take minutes. */
const MOST_RANKS = 16;

/** A snapshot of the workload's allocator, beside its recording or packed with it. */
export interface FoundSnapshot {
  readonly info: SnapshotInfo;
  readonly path: string;
  open(): Promise<Recording>;
}

/** What is read first: why it ran out, what held its peak, what was there at the end. */
const ORDER: readonly SnapshotInfo['why'][] = ['oom', 'peak', 'look', 'end'];

/**
 * What the workload's allocator left beside a recording. Of those at an out-of-memory error the first
 * tells why: those after it are of a program that went on.
 */
export async function openFound(
  all: readonly FoundSnapshot[],
  recording: Recording,
): Promise<Recording[]> {
  const [first] = inOrder(all);
  if (!first) return [];
  const opened = await openOne(first, recording);
  const others = all.filter(
    (one) => one !== first && !(opened && isToldBy(recording, opened, first.info, one.info)),
  );
  if (others.length > 0) {
    const paths = others.map(({ path }) => path).join(', ');
    recording.run.warnings.push(`further snapshots of the allocator: ${paths}`);
  }
  return opened ? [opened] : [];
}

/** Sums of blocks differ a little from what they were asked for. */
const SAME_PEAK = 1.05;

/**
 * Whether one snapshot tells the story of another: of the same allocator, whose peak was when memory ran out, by its own counter. One
 * at the end, or at a peak that was no higher, then has nothing new.
 */
function isToldBy(
  recording: Recording,
  opened: Recording,
  told: SnapshotInfo,
  other: SnapshotInfo,
): boolean {
  if (told.why !== 'oom' || other.why === 'oom') return false;
  if (other.pid !== told.pid || other.device !== told.device) return false;
  const trace = traces(opened).find(({ device }) => device === told.device);
  if (!trace) return false;
  const peak = highestCounter(recording, told.pid, `torch${told.device}.peak`);
  return peak === null || peak <= summary(trace).peakRequested * SAME_PEAK;
}

/** null where nobody told it. */
function highestCounter(recording: Recording, pid: number, name: string): number | null {
  const table = recording.table('counters');
  const [pids, names, values] = [table.u32('pid'), table.u32('name'), table.f64('value')];
  let highest: number | null = null;
  for (let row = 0; row < table.rows; row++) {
    if (pids[row] !== pid || recording.text(names[row]!) !== name) continue;
    highest = Math.max(highest ?? 0, values[row]!);
  }
  return highest;
}

/** One for each rank, where at least two ranks left some. */
export async function openFoundOfRanks(
  all: readonly FoundSnapshot[],
  recording: Recording,
): Promise<RankRecording[]> {
  const byRank = new Map<number, FoundSnapshot>();
  for (const one of inOrder(all)) {
    const { rank } = one.info;
    if (rank !== null && !byRank.has(rank)) byRank.set(rank, one);
  }
  if (byRank.size < 2) return [];
  const traces: RankRecording[] = [];
  for (const [rank, one] of [...byRank].slice(0, MOST_RANKS)) {
    const opened = await openOne(one, recording);
    if (opened) traces.push({ rank, recording: opened });
  }
  return traces;
}

const inOrder = (all: readonly FoundSnapshot[]) =>
  [...all].sort((a, b) => ORDER.indexOf(a.info.why) - ORDER.indexOf(b.info.why));

async function openOne(one: FoundSnapshot, { run }: Recording): Promise<Recording | null> {
  try {
    return await one.open();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const text = `the allocator's snapshot cannot be read: ${error.message}`;
    if (!run.warnings.includes(text)) run.warnings.push(text);
    return null;
  }
}

/** Those in a packed recording. */
export function foundInPack(files: Files, infos: readonly SnapshotInfo[]): FoundSnapshot[] {
  const there = new Set(files.list());
  return infos
    .filter(({ file }) => there.has(file))
    .map((info) => ({
      info,
      path: `${info.file} in ${files.place.split('/').at(-1)}`,
      open: () => openForeignBytes(info.file, files.read(info.file)!),
    }));
}
