import { printable } from '../../base/text.ts';
import type { OpenedRuns } from '../../open/runs.ts';
import { tell } from './terminal.ts';

/** One line for each, where people see it also when the result goes to a file. */
export function saySkipped(skipped: OpenedRuns['skipped']): void {
  for (const one of skipped) tell(`highwater: skipped: ${skippedWords(one)}\n`);
}

export function skippedWords({ name, reason }: OpenedRuns['skipped'][number]): string {
  return printable(reason.includes(name) ? reason : `${name}: ${reason}`);
}
