import type { Report } from '../../analyses/report.ts';
import { ellipsize, printable, shellJoin } from '../../base/text.ts';
import { verdictSentence } from '../../model/verdict.ts';

/** The first line of every report: how much, when, and how it ended. For somebody woken at night. */
export const answer = ({ verdict }: Report): string => verdictSentence(verdict);

/** The command as typed, short enough for a title. */
export function subjectName({ recording: { argv, name } }: Report, width = 60): string {
  return ellipsize(printable(argv.length > 0 ? shellJoin(argv) : name || 'the recording'), width);
}
