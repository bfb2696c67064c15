import type { Report } from '../../analyses/report.ts';
import { formatDuration } from '../../base/time.ts';
import { subjectName } from '../report/answer.ts';

/** What a chart is called when nobody says: the command, or the machine that was watched. */
export function chartTitle(report: Report): string {
  const { subject, host } = report.recording;
  const name =
    subject === 'host' && host.name !== '' ? `Memory of ${host.name}` : subjectName(report, 200);
  const { stopped } = report.trust;
  return stopped ? `Incomplete, stops at ${formatDuration(stopped.seconds)}: ${name}` : name;
}
