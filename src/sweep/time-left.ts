/** A run that is over, and what it took. */
export interface FinishedRun {
  readonly combination: string;
  readonly seconds: number;
}

/** A run that is not over. */
export interface UnfinishedRun {
  readonly combination: string;
  /** How long it has been under way. */
  readonly spent: number;
}

/** As long as the same combination took before, else as long as runs take on average; null: no idea yet. */
export function secondsLeft(
  took: readonly FinishedRun[],
  left: readonly UnfinishedRun[],
  jobs: number,
): number | null {
  if (took.length === 0) return null;
  const before = new Map<string, FinishedRun[]>();
  for (const run of took)
    before.set(run.combination, [...(before.get(run.combination) ?? []), run]);
  const usual = mean(took);
  const work = left.map(({ combination, spent }) => {
    const same = before.get(combination);
    return Math.max(0, (same ? mean(same) : usual) - spent);
  });
  const lanes = Math.max(1, Math.min(jobs, left.length));
  return work.reduce((sum, seconds) => sum + seconds, 0) / lanes;
}

const mean = (runs: readonly FinishedRun[]) =>
  runs.reduce((sum, { seconds }) => sum + seconds, 0) / runs.length;
