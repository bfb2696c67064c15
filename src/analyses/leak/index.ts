import type { Recording } from '../../model/recording.ts';
import { type Culprit, culpritOf } from './culprit.ts';
import type { Verdict } from './rules.ts';
import { type Shelf, shelf } from './shelf.ts';
import { workloadSpan } from './span.ts';
import { type Trend, trends } from './trend.ts';

/** Whether the run leaked, how much and who. */
export interface Leak {
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
    trend: speaker(all),
  };
  for (const { name, decide } of RULES) {
    const said = decide(found);
    if (!said) continue;
    const { verdict, because } = said;
    const culprit = found.trend?.verdict === 'leak' ? culpritOf(found.trend, all) : null;
    return { type: 'leak', verdict, rule: name, because, culprit, ...found, trends: all };
  }
  throw new Error('the last rule always decides');
}

/**
 * The proportional size speaks for the tree, as summed RSS counts what is shared many times over.
 * Where it cannot tell, a role may, or RSS, if the tree's growth is as large. The machine's own
 * memory is everybody's and speaks only where no process was watched.
 */
function speaker(all: readonly Trend[]): Trend | null {
  const whole = (measure: Trend['measure']) =>
    all.find((trend) => trend.role === null && trend.measure === measure) ?? null;
  const tree = whole('PSS') ?? whole('RSS');
  if (!tree) return whole('held');
  if (tree.verdict !== 'inconclusive') return tree;
  const sure = all.find(
    (trend) =>
      trend.verdict === 'leak' &&
      trend.measure !== 'held' &&
      tree.growthBytes > trend.growthBytes / 2,
  );
  return sure ?? tree;
}
