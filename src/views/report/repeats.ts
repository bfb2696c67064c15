import type { Repeats } from '../../analyses/leak/repeats.ts';
import { formatBytes, formatDelta, MiB } from '../../base/bytes.ts';
import { count } from '../../base/text.ts';

/** What the same workload left behind, run after run, in one or two lines. */
export function repeatsLines(repeats: Repeats): string[] {
  const { runs, told, leakedBytes, lowBytes, highBytes, endToEndBytes } = repeats;
  if (leakedBytes === null || lowBytes === null || highBytes === null) {
    return [
      `Leak or not: cannot be told, as the levels before and after were steady in only ${told} of ${count(runs, 'run')}.`,
    ];
  }
  const interval = `95 %: ${formatDelta(lowBytes)} to ${formatDelta(highBytes)}`;
  const of =
    told === runs
      ? count(runs, 'run')
      : `${told} of ${count(runs, 'run')}: before or after the others memory was not steady`;
  const each = `${formatDelta(leakedBytes)} left behind by each run on average (${interval}, ${of})`;
  const first = {
    leak: `Leak: ${each}.`,
    bounded: `No leak: ${each}, less than ${formatBytes(MiB)}.`,
    inconclusive: `Leak or not: cannot be told from ${count(runs, 'run')}: ${each}.`,
  }[repeats.judgement];
  if (endToEndBytes === null) return [first];
  return [
    first,
    `  from before the first to after the last: ${formatDelta(endToEndBytes)} a run, of the whole machine's memory`,
  ];
}
