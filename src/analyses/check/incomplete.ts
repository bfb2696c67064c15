import { count } from '../../base/text.ts';
import { formatDuration } from '../../base/time.ts';
import type { Report } from '../report.ts';

/** What a recording lacks, in a few words; null: nothing. */
export function lacking({ trust: { stopped, lostRows, damage } }: Report): string | null {
  if (stopped) return `the recording stops at ${formatDuration(stopped.seconds)}: ${stopped.why}`;
  if (lostRows > 0) return `${count(lostRows, 'row')} of the recording were lost`;
  return damage.length > 0 ? 'the recording is damaged, part of it is lost' : null;
}
