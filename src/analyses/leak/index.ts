import type { Recording } from '../../model/recording.ts';
import { type Culprit, culpritOf } from './culprit.ts';
import { headlineTrend } from './headline-trend.ts';
import { type LeakCause, leakCause, NO_CAUSE } from './kind/index.ts';
import { type Shelf, shelf } from './shelf.ts';
import { type Trend, trends } from './trend.ts';
import type { LeakVerdict } from './trend-rules.ts';
import { workloadSpan } from './workload-span.ts';

/** Whether the run leaked, how much and who. */
export interface Leak extends LeakCause {
  readonly type: 'leak';
  readonly verdict: LeakVerdict;
  /** The rule that decided, and why in plain words. */
  readonly rule: string;
  readonly because: string;
  /** null where nothing leaks, or the leak shows only in what was left behind. */
  readonly culprit: Culprit | null;
  /** What was left behind; null where the machine's memory was not recorded. */
  readonly shelf: Shelf | null;
  /** The headline trend, that of the whole workload; null without samples. */
  readonly trend: Trend | null;
  /** Of every series and role that was judged. */
  readonly trends: readonly Trend[];
}

interface Judged {
  readonly shelf: Shelf | null;
  readonly trend: Trend | null;
}

interface LeakRule {
  readonly name: string;
  decide(judged: Judged): { verdict: LeakVerdict; because: string } | null;
}

/** In order; the first that decides wins. */
const RULES: readonly LeakRule[] = [
  {
    name: 'left behind',
    decide: ({ shelf }) => (shelf?.verdict === 'leak' ? shelf : null),
  },
  {
    name: 'grows while it runs',
    decide: ({ trend }) => (trend?.verdict === 'leak' ? trend : null),
  },
  {
    name: 'shown not to leak',
    decide: ({ shelf, trend }) =>
      trend && trend.verdict !== 'inconclusive' && (!shelf || shelf.verdict === 'bounded')
        ? trend
        : null,
  },
  {
    name: 'not shown',
    decide: ({ shelf, trend }) => ({
      verdict: 'inconclusive',
      because:
        [trend, shelf]
          .filter((part) => part?.verdict === 'inconclusive')
          .map((part) => part!.because)
          .join('; ') || 'neither a process nor the host was sampled',
    }),
  },
];

export function leak(recording: Recording): Leak {
  const span = workloadSpan(recording);
  const all = span ? trends(recording, span) : [];
  const judged = {
    shelf: span && recording.run.subject !== 'host' ? shelf(recording, span) : null,
    trend: span ? headlineTrend(all, recording, span) : null,
  };
  for (const { name, decide } of RULES) {
    const decision = decide(judged);
    if (!decision) continue;
    const { verdict, because } = decision;
    const culprit = judged.trend?.verdict === 'leak' ? culpritOf(judged.trend, all) : null;
    const cause =
      verdict === 'leak'
        ? leakCause(recording, span!, blamed(culprit, all), judged.shelf)
        : NO_CAUSE;
    return {
      type: 'leak',
      verdict,
      rule: name,
      because,
      culprit,
      ...cause,
      ...judged,
      trends: all,
    };
  }
  throw new Error('the last rule always decides');
}

/** The culprit, with the trend that shows it. */
function blamed(culprit: Culprit | null, all: readonly Trend[]) {
  const trend = culprit && all.find((one) => one.series === culprit.series);
  return culprit && trend ? { culprit, trend } : null;
}
