import type { StepMoment } from '../../analyses/allocations/moment.ts';
import type { TimelineMark } from '../../analyses/timeline.ts';
import { ellipsize } from '../../base/text.ts';
import { formatDuration } from '../../base/time.ts';
import type { LastMarks } from '../../model/last-marks.ts';
import { markWords } from './timeline/mark-lane.ts';

/** `peak 8.07 GiB · step 3, backward`: how much, and where in the program's work or, where nobody knows, when. */
export const peakWords = (amount: string, where: string): string =>
  where === '' ? `peak ${amount}` : `peak ${amount} · ${where}`;

/** `step 3, backward`; empty where the trace does not tell. */
export function stepWords({ step, phase }: StepMoment): string {
  if (phase === 'setup') return 'before the first step';
  if (step === null) return phase === null || phase === 'between' ? '' : phase;
  return phase === null || phase === 'between' ? `step ${step}` : `step ${step}, ${phase}`;
}

/** Of what others hold too, the peak may lie before the workload's start. */
export const timeWords = (seconds: number): string =>
  seconds < 0 ? `${formatDuration(-seconds)} before the start` : `at ${formatDuration(seconds)}`;

const LONGEST = 28;

/** `after iteration 41, epoch 3, validation`; empty where nothing was marked before. */
export function marksWords({ iteration, epoch, phase }: LastMarks<TimelineMark>): string {
  return [
    ...(iteration ? [`after ${markWords(iteration)}`] : []),
    ...(epoch ? [markWords(epoch)] : []),
    ...(phase ? [markWords(phase)] : []),
  ]
    .map((words) => ellipsize(words, LONGEST))
    .join(', ');
}
