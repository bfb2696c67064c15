import type { Recording } from '../../model/recording.ts';
import { stopWarning } from '../trust.ts';
import type { ComparedRun } from './run.ts';

/** Runs are laid over each other: the date of each does not matter here. */
const OF_WALL_TIME = /^the wall time /;

/** What the figures rest on: a warning that all runs share stands once, without a name. */
export function notes(
  runs: readonly ComparedRun[],
  recordings: readonly Recording[],
  comparable: boolean,
): string[] {
  // What is missing comes first: such a peak is held against others only as the least it was.
  const found = runs.flatMap(({ name, stopped }) =>
    stopped ? [`${name} is incomplete: ${stopWarning(stopped)}`] : [],
  );
  const names = new Set(runs.map((run) => run.series));
  if (names.size > 1) {
    const pairs = runs.map((run) => `${run.name}: ${run.series}`).join(', ');
    found.push(
      comparable
        ? `the runs used different GPUs (${pairs})`
        : `the runs are not of one measure, so their figures cannot be held against each other (${pairs})`,
    );
  }
  const runsByText = new Map<string, string[]>();
  recordings.forEach(({ run, damage }, i) => {
    for (const text of new Set([...run.warnings, ...damage])) {
      if (OF_WALL_TIME.test(text)) continue;
      runsByText.set(text, [...(runsByText.get(text) ?? []), runs[i]!.name]);
    }
  });
  for (const [text, by] of runsByText) {
    found.push(by.length === runs.length ? text : `${by.join(', ')}: ${text}`);
  }
  return found;
}
