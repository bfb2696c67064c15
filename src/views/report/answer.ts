import type { Headline } from '../../analyses/peaks.ts';
import type { Report } from '../../analyses/report.ts';
import type { Stopped } from '../../analyses/stopped.ts';
import { formatBytes } from '../../base/bytes.ts';
import { count, ellipsize, printable, shellJoin } from '../../base/text.ts';
import { formatDuration } from '../../base/time.ts';
import { allocationAnswer } from './allocations-answer.ts';
import { gpuPeakWords } from './gpu.ts';

/** The first line of every report: how much, when, and how it ended. For somebody woken at night. */
export function answer(report: Report): string {
  const allocations = report.headline ? null : allocationAnswer(report);
  if (allocations !== null) return printable(allocations);
  const { stopped } = report.trust;
  if (stopped) return printable(incomplete(report, stopped));
  return printable(`${peakPart(report)}; ${endingPart(report)}.`);
}

/** What is missing comes first: a peak that was seen need not be the peak. */
function incomplete(report: Report, { seconds, why }: Stopped): string {
  const peak = peakPart(report);
  const later = report.ending.how === 'cut-off' ? '' : `; ${endingPart(report)}`;
  return (
    `Incomplete: the recording stops at ${formatDuration(seconds)}: ${why}. ` +
    `Until then ${peak[0]!.toLowerCase()}${peak.slice(1)}${later}.`
  );
}

/** The same while the workload runs. */
export function answerSoFar(report: Report): string {
  const after = formatDuration(report.recording.durationSeconds);
  return printable(`${peakPart(report)} so far; ${subjectName(report)} has run for ${after}.`);
}

/** The GPU first where the workload uses one: that is what runs out first. */
function peakPart(report: Report): string {
  const { headline } = report;
  const gpu = gpuPeakWords(report);
  if (!headline) return gpu ? `Peak ${gpu}` : 'No memory was sampled';
  const { at, bytes, how } = hostPeak(headline);
  const brackets = how === '' ? '' : ` (${how})`;
  if (gpu) return `Peak ${gpu}, ${bytes} of host memory${brackets} ${at}`;
  return `Peak ${bytes}${brackets} ${at}`;
}

function hostPeak(headline: Headline): { at: string; bytes: string; how: string } {
  const at = `at ${formatDuration(headline.seconds)}`;
  const bytes = formatBytes(headline.bytes);
  const who =
    headline.processes === null ? [] : [count(headline.processes, 'process', 'processes')];
  const words = (...how: string[]) => [...how, ...who].join(', ');
  switch (headline.measure) {
    case 'kernel':
      return { at, bytes, how: words("control group, the kernel's own figure") };
    case 'proportional': {
      const how = headline.estimated ? ['proportional', 'estimated'] : ['proportional'];
      return { at, bytes, how: words(...how) };
    }
    case 'upper-bound':
      return { at, bytes: `at most ${bytes}`, how: words('summed RSS, an upper bound') };
    case 'machine':
      return { at: `in use on the whole machine ${at}`, bytes, how: '' };
  }
}

/** The command as typed, short enough for a sentence. */
export function subjectName(report: Report, width = 60): string {
  const { argv, name } = report.recording;
  return ellipsize(printable(argv.length > 0 ? shellJoin(argv) : name || 'the recording'), width);
}

function endingPart(report: Report): string {
  const { ending, timing, recording } = report;
  const subject = subjectName(report);
  const long = formatDuration(recording.durationSeconds);
  const when =
    report.trust.stopped && timing.workloadEndSeconds === null ? 'later' : `after ${long}`;
  switch (ending.how) {
    case 'well':
      return `${subject} ended well ${when}${oomAside(report)}`;
    case 'failed':
      return `${subject} exited with code ${ending.code}${shellSignal(ending.code)} ${when}${oomAside(report)}`;
    case 'killed':
      return `${subject} was killed by ${ending.signal} ${when}${killer(report)}`;
    case 'ended':
      return `Highwater ended ${subject} ${when}: ${ending.endedBy}`;
    case 'cut-off':
      return 'no end was recorded';
    case 'watched':
      return recording.subject === 'host'
        ? `the machine was watched for ${long}`
        : `${subject} outlived the recording of ${long}`;
    case 'imported':
      return `imported, ${long} long`;
  }
}

/** Who sent SIGKILL is the question after every such end. */
function killer({ ending }: Report): string {
  if (ending.oomKilled) return `: the kernel's out-of-memory killer${evidence(ending.oomEvidence)}`;
  if (ending.signal !== 'SIGKILL') return '';
  return ending.oomKilled === false
    ? `, not by the kernel's out-of-memory killer${evidence(ending.oomEvidence)}`
    : `; whether it was the kernel's out-of-memory killer is unknown${evidence(ending.oomEvidence)}`;
}

/** The command itself may go on after the kernel took one of its workers. */
function oomAside({ ending }: Report): string {
  const message = ending.oomMessages.at(-1)?.lines[0];
  if (message && ending.how === 'failed') return `: ${printable(message)}`;
  return ending.oomKilled
    ? `; the kernel's out-of-memory killer took one of its processes${evidence(ending.oomEvidence)}`
    : '';
}

const evidence = (text: string) => (text === '' ? '' : ` (${text})`);

const SHELL_SIGNALS: ReadonlyMap<number, string> = new Map([
  [130, 'SIGINT'],
  [134, 'SIGABRT'],
  [137, 'SIGKILL'],
  [139, 'SIGSEGV'],
  [143, 'SIGTERM'],
]);

/** A shell tells the signal that ended its child as 128 + its number. */
function shellSignal(code: number | null): string {
  const signal = SHELL_SIGNALS.get(code ?? 0);
  return signal ? ` (a shell's word for ${signal})` : '';
}
