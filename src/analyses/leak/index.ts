import type { Recording } from '../../model/recording.ts';
import { type Culprit, culpritOf } from './culprit.ts';
import { type Kind, kindOf, NO_KIND } from './kind/index.ts';
import type { Verdict } from './rules.ts';
import { type Shelf, shelf } from './shelf.ts';
import { workloadSpan } from './span.ts';
import { speaker } from './speaker.ts';
import { type Trend, trends } from './trend.ts';

/** Whether the run leaked, how much and who. */
export interface Leak extends Kind {
  readonly type: 'leak';
  readonly verdict: Verdict;
  /** The rule that decided, and why in plain words. */
  readonly rule: string;
  readonly because: string;
  /** null where nothing leaks, or only what was left behind tells. */
  readonly culprit: Culprit | null;
  /** What was left behind; null where the machine's memory was not recorded. */
  readonly shelf: Shelf | null;
  /** The trend that speaks for the workload; null without samples. */
  readonly trend: Trend | null;
  /** Of every series and role that was judged. */
  readonly trends: readonly Trend[];
}

interface Findings {
  readonly shelf: Shelf | null;
  readonly trend: Trend | null;
}

interface Rule {
  readonly name: string;
  decide(found: Findings): { verdict: Verdict; because: string } | null;
}

/** In order; the first that decides wins. */
const RULES: readonly Rule[] = [
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
  const found = {
    shelf: span && recording.run.subject !== 'host' ? shelf(recording, span) : null,
    trend: span ? speaker(all, recording, span) : null,
  };
  for (const { name, decide } of RULES) {
    const said = decide(found);
    if (!said) continue;
    const { verdict, because } = said;
    const culprit = found.trend?.verdict === 'leak' ? culpritOf(found.trend, all) : null;
    const kind =
      verdict === 'leak' ? kindOf(recording, span!, growing(culprit, all), found.shelf) : NO_KIND;
    return { type: 'leak', verdict, rule: name, because, culprit, ...kind, ...found, trends: all };
  }
  throw new Error('the last rule always decides');
}

/** The trend by which somebody was blamed. */
function growing(culprit: Culprit | null, all: readonly Trend[]) {
  const trend = culprit && all.find((one) => one.series === culprit.series);
  return culprit && trend ? { culprit, trend } : null;
}
