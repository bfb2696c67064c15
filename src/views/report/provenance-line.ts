import type { Report } from '../../analyses/report.ts';
import { formatBytes } from '../../base/bytes.ts';
import { printable } from '../../base/text.ts';
import { formatDuration } from '../../base/time.ts';
import { subjectName } from './answer.ts';

/** Of what something is that leaves the page: command, date, duration, machine. */
export function provenanceLine(report: Report): string {
  const { startedAt, durationSeconds, host } = report.recording;
  const memory = host.memoryBytes === null ? [] : [formatBytes(host.memoryBytes)];
  return [
    subjectName(report, 120),
    startedAt.slice(0, 16).replace('T', ' '),
    formatDuration(durationSeconds),
    ...(host.name ? [printable([host.name, ...memory].join(', '))] : []),
    'Highwater',
  ].join(' · ');
}
