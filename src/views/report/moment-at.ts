import type { TimelineMark } from '../../analyses/timeline.ts';
import { markWords } from '../chart/timeline/mark-lane.ts';

/**
 * `after iteration 41 in epoch 3`: what was marked last before a moment. Marks of several processes, and of a log beside them,
 * need not come in the order of their time, and the number of an iteration may count on from epoch to epoch.
 */
export function momentAt(marks: readonly TimelineMark[], seconds: number): string {
  const iteration = lastBefore(marks, 'iteration', seconds);
  const epoch = lastBefore(marks, 'epoch', seconds);
  const words = [
    ...(iteration ? [`after ${markWords(iteration)}`] : []),
    ...(epoch ? [`in ${markWords(epoch)}`] : []),
  ];
  return words.join(' ').slice(0, 80);
}

function lastBefore(
  marks: readonly TimelineMark[],
  kind: string,
  seconds: number,
): TimelineMark | null {
  let found: TimelineMark | null = null;
  for (const mark of marks) {
    if (mark.kind !== kind || mark.seconds > seconds) continue;
    if (!found || mark.seconds >= found.seconds) found = mark;
  }
  return found;
}
