import type { Report } from '../../analyses/report.ts';
import { subjectName } from '../report/answer.ts';

/** What a chart is called when nobody says: the command, or the machine that was watched. */
export function chartTitle(report: Report): string {
  const { subject, host } = report.recording;
  return subject === 'host' && host.name !== ''
    ? `Memory of ${host.name}`
    : subjectName(report, 200);
}
