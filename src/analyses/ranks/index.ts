import { median } from '../../base/stats.ts';
import { SECOND_NS } from '../../base/time.ts';
import { origin } from '../../model/origin.ts';
import { ranksOf } from '../../model/ranks.ts';
import type { Recording } from '../../model/recording.ts';
import {
  type Holdings,
  holdings,
  MALLOC,
  moreThanUsual,
  type RankHolding,
  TORCH,
} from './holdings.ts';
import { peakSizes } from './peak-sizes.ts';
import { addTraces, type RankTrace } from './traces.ts';

/** What one rank held, its workers included. */
export interface RankFacts {
  readonly rank: number;
  /** Processes that carried it, over the whole run. */
  readonly processes: number;
  /** The most at one sample; null where no process of it was measured. */
  readonly peakBytes: number | null;
  readonly peakSeconds: number | null;
  /** Against the median rank. */
  readonly timesMedian: number | null;
  /** The most that torch had handed out, over its devices; null where no agent reported it. */
  readonly torchBytes: number | null;
}

/** A rank that holds clearly more than the others. */
export interface Outlier {
  readonly rank: number;
  readonly measure: 'memory' | 'torch' | 'malloc';
  readonly bytes: number;
  readonly medianBytes: number;
  /** What it holds more of than the median rank, the largest first. */
  readonly more: readonly RankHolding[];
}

/** The ranks of a job side by side; empty where there are not at least two. */
export interface Ranks {
  readonly type: 'ranks';
  /** `pss`: shared pages divided among their users; `rss`: counted in full for each. */
  readonly measure: 'pss' | 'rss' | null;
  readonly medianBytes: number | null;
  readonly ranks: readonly RankFacts[];
  readonly outlier: Outlier | null;
}

/** More than the median by this share, and by this many bytes, is worth a sentence. */
const CLEARLY = { share: 0.1, bytes: 32 * 1024 ** 2 };

/** `traces`: of ranks that left a snapshot of their allocator. */
export function ranks(recording: Recording, traces: readonly RankTrace[] = []): Ranks {
  const rankOf = ranksOf(recording);
  const numbers = [...new Set(rankOf.values())].sort((a, b) => a - b);
  if (numbers.length < 2) {
    return { type: 'ranks', measure: null, medianBytes: null, ranks: [], outlier: null };
  }
  const zero = origin(recording).ns;
  const { measure, peaks } = peakSizes(recording, rankOf);
  const held = holdings(recording, rankOf);
  addTraces(held, traces);
  const usual = usualOf([...peaks.values()].map(({ bytes }) => bytes));
  const facts = numbers.map((rank): RankFacts => {
    const peak = peaks.get(rank);
    const torch = held.get(rank)?.get(TORCH);
    return {
      rank,
      processes: [...rankOf.values()].filter((other) => other === rank).length,
      peakBytes: peak?.bytes ?? null,
      peakSeconds: peak ? (peak.ns - zero) / SECOND_NS : null,
      timesMedian: peak && usual ? peak.bytes / usual : null,
      torchBytes: torch ?? null,
    };
  });
  return {
    type: 'ranks',
    measure,
    medianBytes: usual,
    ranks: facts,
    outlier: outlierOf(facts, held),
  };
}

const usualOf = (values: readonly number[]) =>
  values.length < 2 ? null : median(Float64Array.from(values));

/**
 * On a device first: what torch handed out there is the rank's own to the byte. Last, what malloc did:
 * a proportional size rises also when others leave, which can hide the rank that holds more.
 */
function outlierOf(facts: readonly RankFacts[], held: Holdings): Outlier | null {
  const by = (measure: Outlier['measure'], of: (one: RankFacts) => number | null) => {
    const known = facts.flatMap((one) => {
      const bytes = of(one);
      return bytes === null ? [] : [{ rank: one.rank, bytes }];
    });
    const [top] = [...known].sort((a, b) => b.bytes - a.bytes);
    const others = known.filter(({ rank }) => rank !== top?.rank).map(({ bytes }) => bytes);
    if (!top || others.length === 0) return null;
    const medianBytes = median(Float64Array.from(others));
    const above = top.bytes - medianBytes;
    if (above < CLEARLY.bytes || above < CLEARLY.share * medianBytes) return null;
    const itself = { memory: '', torch: TORCH, malloc: MALLOC }[measure];
    const more = moreThanUsual(top.rank, held).filter(({ what }) => what !== itself);
    return { ...top, measure, medianBytes, more };
  };
  return (
    by('torch', (one) => one.torchBytes) ??
    by('memory', (one) => one.peakBytes) ??
    by('malloc', ({ rank }) => held.get(rank)?.get(MALLOC) ?? null)
  );
}
