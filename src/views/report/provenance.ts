import type { Report } from '../../analyses/report.ts';
import { formatBytes } from '../../base/bytes.ts';
import { count, printable } from '../../base/text.ts';
import { formatDuration, localTime } from '../../base/time.ts';
import { subjectName } from './answer.ts';
import { cardsShown } from './gpu.ts';
import { machineWords } from './measured.ts';
import type { Fact } from './section.ts';

/** What was recorded, when, on which machine and card, by which version: as far as the recording tells. */
export function provenance(report: Report): Fact[] {
  const { recording } = report;
  const started = new Date(recording.startedAt);
  // A file that does not tell its time has that of 1970.
  const dated = started.getTime() > 0 ? [localTime(started)] : [];
  const long = recording.durationSeconds > 0 ? [formatDuration(recording.durationSeconds)] : [];
  const machine = machineWords(recording.host);
  const facts: (readonly [string, readonly string[]])[] = [
    ['command', [subjectName(report, 200)]],
    ['started', dated],
    ['duration', long],
    ['machine', machine === '' ? [] : [machine]],
    ['card', cardWords(report)],
    [
      'recorded by',
      recording.recorder === '' ? [] : [`Highwater ${printable(recording.recorder)}`],
    ],
  ];
  return facts.flatMap(([name, values]) => values.map((value): Fact => [name, value]));
}

/** The same in one line, for what leaves the page. */
export function provenanceLine(report: Report): string {
  const told = provenance(report).map(([, value]) => value);
  return [...told, ...(report.recording.recorder === '' ? ['Highwater'] : [])].join(' · ');
}

/** Cards of one kind are told once. */
function cardWords(report: Report): string[] {
  const names = cardsShown(report).map(({ name, gpu, memoryBytes }) => {
    const size = memoryBytes === null ? '' : `, ${formatBytes(memoryBytes)}`;
    return printable(`${name || `GPU ${gpu}`}${size}`);
  });
  return [...new Set(names)].map((name) => {
    const many = names.filter((other) => other === name).length;
    return many > 1 ? `${count(many, '×', '×')} ${name}` : name;
  });
}
