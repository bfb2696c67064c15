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
 * judged by the others, each by itself; and by any that is there at the end while none of its kind was seen to end.
 * null: one of those that went grew to its end, or they pile up.
 */
export function thoseThatStay(
  all: readonly ProcessLife[],
  judged: Judged,
): readonly ProcessLife[] | null {
  const { fromNs, toNs, negligible } = judged;
  const seen = all.filter((one) => one.toNs >= fromNs && one.fromNs <= toNs);
  const stays = (one: ProcessLife) =>
    Math.min(one.toNs, toNs) - Math.max(one.fromNs, fromNs) >= STAYS * (toNs - fromNs);
  const passing = seen.filter((one) => !stays(one) && most(one.held.values) > negligible);
  const gone = passing.filter((one) => !livesAt(one, toNs));
  if (gone.some((one) => lateGrowth(one) > negligible) || pileUp(seen, judged)) return null;
  const left = passing.filter((one) => livesAt(one, toNs) && !oneOfMany(one, passing, judged));
  return [...seen.filter(stays), ...left];
}

type Values = ArrayLike<number> & Iterable<number>;

const least = (values: Values) => Array.from(values).reduce((a, b) => Math.min(a, b));
const most = (values: Values) => Array.from(values).reduce((a, b) => Math.max(a, b));

/** Of a process that was seen less often nothing is known but that it is gone. */
const FEWEST_SAMPLES = 8;

/** By how much it still grew in the last quarter of its life: what stays lifts the smallest, the usual and the largest of its sizes. */
function lateGrowth({ held: { values } }: ProcessLife): number {
  const quarter = Math.floor(values.length / 4);
  if (values.length < FEWEST_SAMPLES) return 0;
  const [before, last] = [values.slice(-2 * quarter, -quarter), values.slice(-quarter)];
  const levels = [least, median, most];
  return least(levels.map((level) => level(last) - level(before)));
}

const FEWEST_GONE = 3;

/** At least three of its kind have ended, one of them older than this one is; and there are not more of them than there were. */
function oneOfMany(one: ProcessLife, passing: readonly ProcessLife[], judged: Judged): boolean {
  const { toNs } = judged;
  const kind = passing.filter(({ role }) => role === one.role);
  const gone = kind.filter((other) => !livesAt(other, toNs));
  const age = (of: ProcessLife) => of.toNs - of.fromNs;
  return (
    gone.length >= FEWEST_GONE &&
    gone.some((other) => age(other) >= Math.min(one.toNs, toNs) - one.fromNs) &&
    !pileUp(kind, judged)
  );
}

/** Whether more are there at the end than were at any moment of the first half: what they have adds up, though none of them grows. */
function pileUp(lives: readonly ProcessLife[], { fromNs, toNs }: Judged): boolean {
  const atOnce = (ns: number) => lives.filter((of) => of.fromNs <= ns && of.toNs >= ns).length;
  const early = lives.filter((of) => of.fromNs < (fromNs + toNs) / 2);
  return atOnce(toNs) > Math.max(0, ...early.map((of) => atOnce(Math.max(of.fromNs, fromNs))));
}
