import type { ComparedRun } from './run.ts';

/** How run `b` differs from run `a`: positive where `b` is more. */
export interface Difference {
  readonly a: string;
  readonly b: string;
  readonly peakBytes: number;
  readonly peakAboveBaselineBytes: number;
  /** Peak of `b` divided by that of `a`; null where `a` has none. */
  readonly peakRatio: number | null;
  /** The same of the peaks above the baselines. */
  readonly peakAboveBaselineRatio: number | null;
  readonly durationSeconds: number;
}

/** Each pair once, in the order of the runs; or every other run against one. */
export function differences(
  runs: readonly ComparedRun[],
  against: ComparedRun | null,
): Difference[] {
  if (against) {
    return runs.filter((run) => run !== against).map((run) => difference(against, run));
  }
  return runs.flatMap((a, i) => runs.slice(i + 1).map((b) => difference(a, b)));
}

function difference(a: ComparedRun, b: ComparedRun): Difference {
  return {
    a: a.name,
    b: b.name,
    peakBytes: b.peakBytes - a.peakBytes,
    peakAboveBaselineBytes: b.peakAboveBaselineBytes - a.peakAboveBaselineBytes,
    peakRatio: ratio(a.peakBytes, b.peakBytes),
    peakAboveBaselineRatio: ratio(a.peakAboveBaselineBytes, b.peakAboveBaselineBytes),
    durationSeconds: b.durationSeconds - a.durationSeconds,
  };
}

const ratio = (a: number, b: number) => (a > 0 ? b / a : null);
