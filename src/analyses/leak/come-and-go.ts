import { median } from '../../base/stats.ts';
import { livesAt, type ProcessLife } from './process-lives.ts';

/** The judged time, and growth that is too small to count in it. */
export interface Judged {
  readonly fromNs: number;
  readonly toNs: number;
  readonly negligible: number;
}

/** A process that was there for so much of the judged time stays; the others come and go. */
const STAYS = 0.5;

/**
 * What a process had is gone when it has ended: only those that stay can leak. So a run in which workers come and go is
 * judged by the others, each by itself. null: not all that are left out can be, as one of them grew to its end, or
 * lives on at the end and none of its kind has been seen to end.
 */
export function thoseThatStay(
  all: readonly ProcessLife[],
  judged: Judged,
): readonly ProcessLife[] | null {
  const { fromNs, toNs, negligible } = judged;
  const seen = all.filter((one) => one.toNs >= fromNs && one.fromNs <= toNs);
  const stays = (one: ProcessLife) =>
    Math.min(one.toNs, toNs) - Math.max(one.fromNs, fromNs) >= STAYS * (toNs - fromNs);
  const passing = seen.filter((one) => !stays(one) && largest(one) > negligible);
  const gone = passing.filter((one) => !livesAt(one, toNs));
  if (gone.some((one) => lateGrowth(one) > negligible)) return null;
  const left = passing.filter((one) => livesAt(one, toNs));
  return left.every((one) => oneOfMany(one, passing, judged)) ? seen.filter(stays) : null;
}

const largest = ({ held: { values } }: ProcessLife) =>
  values.reduce((most, value) => Math.max(most, value), 0);

/** Of a process that was seen less often nothing is known but that it is gone. */
const FEWEST_SAMPLES = 8;

/** By how much it still grew in the last quarter of its life. */
function lateGrowth({ held: { values } }: ProcessLife): number {
  const quarter = Math.floor(values.length / 4);
  if (values.length < FEWEST_SAMPLES) return 0;
  const level = (from: number, to: number) => median(values.slice(from, to));
  return level(-quarter, values.length) - level(-2 * quarter, -quarter);
}

const FEWEST_GONE = 3;

/** At least three of its kind have ended, one of them older than this one is; and there are not more of them than there were. */
function oneOfMany(
  one: ProcessLife,
  passing: readonly ProcessLife[],
  { fromNs, toNs }: Judged,
): boolean {
  const kind = passing.filter(({ role }) => role === one.role);
  const gone = kind.filter((other) => !livesAt(other, toNs));
  const age = (of: ProcessLife) => of.toNs - of.fromNs;
  const atOnce = (ns: number) => kind.filter((of) => of.fromNs <= ns && of.toNs >= ns).length;
  const middle = (fromNs + toNs) / 2;
  const before = kind.filter((of) => of.fromNs < middle).map((of) => atOnce(of.fromNs));
  return (
    gone.length >= FEWEST_GONE &&
    gone.some((other) => age(other) >= Math.min(one.toNs, toNs) - one.fromNs) &&
    atOnce(toNs) <= Math.max(0, ...before)
  );
}
