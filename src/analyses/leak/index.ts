import type { Recording } from '../../model/recording.ts';
import { type LeakBound, leakBound } from './bound.ts';
import { type Culprit, culpritOf } from './culprit.ts';
import { headlineTrend } from './headline-trend.ts';
import { keptFreeMayLevelOff } from './kept-free.ts';
import { leakCause, NO_CAUSE } from './kind/index.ts';
import type { LeakCause } from './kind/rule.ts';
import { type Shelf, shelf } from './shelf.ts';
import { type Suspect, suspectOf } from './suspect.ts';
import { type Trend, trends } from './trend.ts';
import type { LeakVerdict } from './trend-rules.ts';
import { type WorkloadSpan, workloadSpan } from './workload-span.ts';

/** Whether the run leaked, how much and who. */
export interface Leak extends Pick<LeakCause, 'kind' | 'evidence' | 'advice'> {
  readonly type: 'leak';
  readonly verdict: LeakVerdict;
  /** The rule that decided, and why in plain words. */
  readonly rule: string;
  readonly because: string;
  /** null where nothing is shown to leak. */
  readonly culprit: Culprit | null;
  /** At most so fast it leaks, whatever the verdict; null of hardly any values. */
  readonly bound: LeakBound | null;
  /** The program had not ended when the recording was read: it grows, and has left nothing behind. */
  readonly running: boolean;
  /** What was left behind; null while it runs, and where nothing was recorded that could tell. */
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
  const left = span ? shelf(recording, span) : null;
  const headline = span ? headlineTrend(all, recording, span) : null;
  const growing = headline?.verdict === 'leak' ? blamed(headline, all, recording, span!) : null;
  const cause = span ? leakCause(recording, span, growing, left) : NO_CAUSE;
  const keptFree = growing !== null && isKeptFree(recording, growing, cause, left);
  const judged = { shelf: left, trend: keptFree ? { ...headline!, ...KEPT_FREE } : headline };
  for (const { name, decide } of RULES) {
    const decision = decide(judged);
    if (!decision) continue;
    const { verdict, because } = decision;
    const told = {
      bound: leakBound(judged.trend, all),
      running: recording.run.subject !== 'import' && recording.run.endedAt === null,
      ...judged,
      // Of what the headline tells by more than its series shows, no other line tells less.
      trends: all.map((one) => (isSame(one, judged.trend) ? judged.trend! : one)),
    };
    if (verdict !== 'leak') {
      const { kind, evidence, advice } = keptFree ? cause : NO_CAUSE;
      const nobody = { culprit: null, kind, evidence, advice };
      return { type: 'leak', verdict, rule: name, because, ...nobody, ...told };
    }
    const { kind, evidence, advice } = cause;
    return {
      type: 'leak',
      verdict,
      rule: name,
      because,
      culprit: culpritOf(growing?.suspect ?? null, judged.shelf, cause),
      kind,
      evidence,
      advice,
      ...told,
    };
  }
  throw new Error('the last rule always decides');
}

/** Growth of what malloc keeps free, with which nothing is lost yet. */
const KEPT_FREE = {
  verdict: 'inconclusive',
  rule: 'kept free',
  because:
    'what grows is memory that malloc keeps free, less of it than is in use: it may level off',
  exhaustionSeconds: null,
  exhausts: null,
} as const;

const isKeptFree = (
  recording: Recording,
  { suspect }: Blamed,
  { kind }: LeakCause,
  left: Shelf | null,
): boolean =>
  kind === 'allocator' &&
  suspect.measure !== 'device' &&
  left?.verdict !== 'leak' &&
  keptFreeMayLevelOff(recording, suspect.pids);

interface Blamed {
  readonly trend: Trend;
  readonly suspect: Suspect;
}

const isSame = (one: Trend, other: Trend | null): boolean =>
  one.series === other?.series && one.role === other.role;

/** Who grows, with the trend that shows it. */
function blamed(
  leaking: Trend,
  all: readonly Trend[],
  recording: Recording,
  span: WorkloadSpan,
): Blamed {
  const suspect = suspectOf(leaking, all, recording, span);
  const shown = all.find(({ series }) => series === suspect.series);
  return { suspect, trend: shown && !isSame(shown, leaking) ? shown : leaking };
}
