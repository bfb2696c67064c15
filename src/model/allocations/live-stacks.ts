import { formatBytes } from '../../base/bytes.ts';
import type { Recording } from '../recording.ts';
import { NO_ID } from './actions.ts';
import { type MomentChoice, momentsOf, momentsText } from './live.ts';
import { type Frame, framesOf } from './names.ts';

/** What one call stack had in use, by a heap profile: at the peak of what it counts, or when it was taken. */
export interface LiveStack {
  /** Whose memory and what it is, as the profile names it; empty: it does not tell. */
  readonly device: string;
  readonly kind: string;
  /** Row of `stacks`, or NO_ID. */
  readonly stack: number;
  readonly bytes: number;
  /** null: not told. */
  readonly objects: number | null;
  readonly allocatedBytes: number | null;
  readonly allocatedObjects: number | null;
  /** In use at the end, of a profile that followed a whole run. */
  readonly leftBytes: number | null;
  readonly leftObjects: number | null;
}

/** Which moment `bytes` are of: profilers that follow a run know its peak, others only when they were asked. */
export type ProfileMoment = 'peak' | 'taken';

export const profileMoment = (rows: readonly LiveStack[]): ProfileMoment =>
  rows.some(({ leftBytes }) => leftBytes !== null) ? 'peak' : 'taken';

export const MOMENT_WORDS: Readonly<Record<ProfileMoment, string>> = {
  peak: "in use at the heap's peak",
  taken: 'in use when the profile was taken',
};

/** Cheap: no table is read for it. */
export const hasLiveStacks = ({ tables }: Recording): boolean => tables.includes('live_stacks');

/** Rows of an imported heap profile, the largest first; none where the recording has no such thing. */
export function liveStacks(recording: Recording): LiveStack[] {
  if (!hasLiveStacks(recording)) return [];
  const table = recording.table('live_stacks');
  const [device, kind, stack] = [table.u32('device'), table.u32('kind'), table.u32('stack')];
  const known = (name: string) => {
    const column = table.f64(name);
    return (row: number) => (Number.isNaN(column[row]!) ? null : column[row]!);
  };
  const [bytes, objects] = [known('bytes'), known('objects')];
  const [allocatedBytes, allocatedObjects] = [known('allocated_bytes'), known('allocated_objects')];
  const [leftBytes, leftObjects] = [known('left_bytes'), known('left_objects')];
  return Array.from({ length: table.rows }, (_, row) => ({
    device: recording.text(device[row]!),
    kind: recording.text(kind[row]!),
    stack: stack[row]!,
    bytes: bytes(row) ?? 0,
    objects: objects(row),
    allocatedBytes: allocatedBytes(row),
    allocatedObjects: allocatedObjects(row),
    leftBytes: leftBytes(row),
    leftObjects: leftObjects(row),
  })).sort((a, b) => b.bytes - a.bytes);
}

const NO_FRAMES: Frame = { function: '[no stack was recorded]', file: '', line: 0 };

/** Frames of such a stack, the outermost first, never none. */
export function liveStackPath(recording: Recording, { stack }: LiveStack): Frame[] {
  const frames = stack === NO_ID ? [] : framesOf(recording, stack);
  return frames.length > 0 ? frames.reverse() : [NO_FRAMES];
}

/** Whether a profile answers what lived: it has one moment, which nobody has to choose. */
export function isOfProfile(recording: Recording, at: MomentChoice): boolean {
  return at === 'peak' && hasLiveStacks(recording) && !recording.tables.includes('allocations');
}

/** What of a trace or a profile is shown, for whoever opens the file. */
export function shownText(recording: Recording, at: MomentChoice): string {
  if (!isOfProfile(recording, at)) return momentsText(momentsOf(recording, at));
  const rows = liveStacks(recording);
  const bytes = rows.reduce((sum, row) => sum + row.bytes, 0);
  return `${formatBytes(bytes)} ${MOMENT_WORDS[profileMoment(rows)]}`;
}
