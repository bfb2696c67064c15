import type { Distribution } from '../../base/distribution.ts';
import { median } from '../../base/stats.ts';
import { MEASURES, type Measure } from '../../model/job/summary.ts';
import type { RankHolding } from '../ranks/holdings.ts';
import { type Member, peakBytes } from './member.ts';

/** A rank that holds clearly more, or less, than the others. */
export interface JobOutlier {
  readonly rank: number | null;
  readonly node: string;
  readonly measure: Measure;
  readonly bytes: number;
  /** The median of the others. */
  readonly medianBytes: number;
  /** How many times as far from the median as ranks usually are (1.48 times the median distance); null: too few ranks to say. */
  readonly deviations: number | null;
  /** What it holds more of than the others, the largest first. */
  readonly more: readonly RankHolding[];
}

/** As a report has it: more than the median by this share, and by this many bytes. */
const CLEARLY = { share: 0.1, bytes: 32 * 1024 ** 2 };
/** With fewer ranks, how far they usually lie apart is not known. */
const FEW = 5;
const FAR = 3.5;
/** Of a normal distribution, its standard deviation is so many median distances. */
const NORMAL = 1.4826;
/** Less is no explanation. */
const WORTH_NAMING = 8 * 1024 ** 2;
const MOST_NAMED = 5;

/** On a card first, as its memory is the scarce one; `others`: ranks to hold one against. */
export function jobOutliers(
  byMeasure: ReadonlyMap<Measure, { readonly all: Distribution; readonly ends: readonly Member[] }>,
  others: readonly Member[],
): JobOutlier[] {
  const found: JobOutlier[] = [];
  for (const measure of MEASURES) {
    const { all, ends } = byMeasure.get(measure)!;
    if (all.count < 2) continue;
    const usual = NORMAL * all.deviation;
    for (const member of ends) {
      const bytes = peakBytes(member, measure)!;
      const medianBytes = all.medianWithout(bytes);
      const apart = Math.abs(bytes - medianBytes);
      if (apart < CLEARLY.bytes || apart < CLEARLY.share * medianBytes) continue;
      // Of two, neither is the usual one: the larger is named.
      if (all.count < FEW && bytes < medianBytes) continue;
      const deviations = all.count < FEW || usual === 0 ? null : apart / usual;
      if (deviations !== null && deviations < FAR) continue;
      if (found.some(({ rank, node }) => rank === member.rank && node === member.node)) continue;
      const more = bytes > medianBytes ? moreOf(member, others) : [];
      const { rank, node } = member;
      found.push({ rank, node, measure, bytes, medianBytes, deviations, more });
    }
  }
  return found;
}

function moreOf(member: Member, among: readonly Member[]): RankHolding[] {
  const others = among
    .filter(({ summary }) => summary !== member.summary)
    .map((one) => new Map(one.details().held.map(({ what, bytes }) => [what, bytes])));
  if (others.length === 0) return [];
  return member
    .details()
    .held.map(({ what, bytes }) => {
      const usual = others.map((held) => held.get(what) ?? 0);
      return { what, bytes, medianBytes: median(usual) };
    })
    .filter(({ bytes, medianBytes }) => bytes - medianBytes >= WORTH_NAMING)
    .sort((a, b) => b.bytes - b.medianBytes - (a.bytes - a.medianBytes))
    .slice(0, MOST_NAMED);
}
