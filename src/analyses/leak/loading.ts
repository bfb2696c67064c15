import { formatBytes } from '../../base/bytes.ts';
import { SECOND_NS } from '../../base/time.ts';
import type { Recording } from '../../model/recording.ts';
import { bringsNothingIn, fillsWhatItHas, type Intake, keepsWaiting } from './intake.ts';
import type { JudgedTime } from './judged-values.ts';
import { columnSum } from './kind/process-sums.ts';
import { slopeBetween } from './slope-between.ts';
import type { TrendEvidence } from './trend-evidence.ts';
import type { Loading, TrendDecision } from './trend-rules.ts';

/** While it runs, it may still be setting up; a program that grew to its end and read nothing was not. */
export function loadingOf(
  looks: { readonly intake: Intake | null; readonly late: Intake | null },
  { over, growth }: TrendEvidence,
  { copies, counted, ended }: { copies: boolean; counted: boolean; ended: boolean },
): Loading {
  if (over === 'iterations' && !counted) return 'works';
  if (copies) return 'hardly';
  const idle = ended ? withoutIntake(looks, growth) : null;
  if (!idle) return 'may';
  // What counts something and reads nothing does not count what it loads.
  if (over === 'iterations') return 'works';
  // A compiler or a search keeps what it makes until it is done, in one go.
  return keepsWaiting(idle) ? 'cannot' : 'computes';
}

/**
 * All of the time, or its second half, in which growth that is steady has half of its share: what reads libraries and
 * data at first, and goes on growing when that is done, is not loading.
 */
function withoutIntake(
  { intake, late }: { readonly intake: Intake | null; readonly late: Intake | null },
  growth: number,
): Intake | null {
  if (intake && bringsNothingIn(intake, growth)) return intake;
  return late && bringsNothingIn(late, growth / 2) ? late : null;
}

/** A leak asks for more and more memory. An array that was asked for at once and is filled bit by bit does not. */
export function unlessFilling(
  recording: Recording,
  intake: Intake | null,
  { fromNs, toNs }: JudgedTime,
  { growth, lastLevel }: TrendEvidence,
  decision: TrendDecision,
): TrendDecision {
  const grows = decision.rule === 'steady growth';
  if (!grows || !intake || !fillsWhatItHas(intake, growth)) return decision;
  // Shared memory is asked for elsewhere.
  const shared = slopeBetween(columnSum(recording, 'shmem', null), fromNs, toNs);
  if ((shared * (toNs - fromNs)) / SECOND_NS > growth / 2) return decision;
  const left = Math.max(0, intake.askedAtEnd - lastLevel);
  return {
    verdict: 'inconclusive',
    rule: 'asked for before',
    because: `it fills memory that it had asked for before it grew, of which ${formatBytes(left)} are left`,
  };
}
