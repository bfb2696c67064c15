import { formatBytes, formatDelta } from '../../base/bytes.ts';
import { shellJoin } from '../../base/text.ts';
import { formatDuration } from '../../base/time.ts';
import { rateWords } from '../../model/rate-words.ts';
import { filled } from '../../model/verdict.ts';
import { isOfDevice, type ReportFacts } from '../report-facts.ts';
import type { Stopped } from '../stopped.ts';
import { firstDevice } from '../trace-only.ts';
import { VerdictBuilder } from './builder.ts';
import { whyWords } from './failure/words.ts';
import { peakWords } from './peak-words.ts';
import { traceWords } from './trace-words.ts';

/** How much, when, and how it ended: the first line of a report. */
export function reportSentence(report: ReportFacts, words: VerdictBuilder): string {
  const { stopped } = report.trust;
  if (isTrace(report)) return traceWords(report, words);
  if (stopped) return incomplete(report, stopped, words);
  return `${peakWords(report, words)}; ${endingWords(report, words)}.`;
}

/** The same while the workload runs. */
export function sentenceSoFar(report: ReportFacts): string {
  const words = new VerdictBuilder(report);
  const after = formatDuration(report.recording.durationSeconds);
  const sentence = `${peakWords(report, words)} so far; ${subject(report, words)} has run for ${after}.`;
  return filled(words.build('incomplete', 'unknown', sentence), sentence);
}

/** Nothing but an allocation trace is there to speak of. */
export const isTrace = ({ headline, devices }: ReportFacts): boolean =>
  devices.length > 0 && (headline === null || isOfDevice(headline));

/** What is missing comes first: a peak that was seen need not be the peak. */
function incomplete(report: ReportFacts, { seconds, why }: Stopped, words: VerdictBuilder): string {
  const peak = peakWords(report, words);
  const later = report.ending.how === 'cut-off' ? '' : `; ${endingWords(report, words)}`;
  return (
    `Incomplete: the recording stops at ${formatDuration(seconds)}: ${words.theirs('why', why, 160)}. ` +
    `Until then ${peak[0]!.toLowerCase()}${peak.slice(1)}${later}.`
  );
}

/** The command as typed, short enough for a sentence. */
function subject({ recording: { argv, name } }: ReportFacts, words: VerdictBuilder): string {
  if (argv.length > 0) return words.theirs('command', shellJoin(argv), 60);
  return name === '' ? 'the recording' : words.theirs('name', name, 60);
}

function endingWords(report: ReportFacts, words: VerdictBuilder): string {
  const { ending, timing, recording } = report;
  const long = formatDuration(recording.durationSeconds);
  const when =
    report.trust.stopped && timing.workloadEndSeconds === null ? 'later' : `after ${long}`;
  switch (ending.how) {
    case 'well':
      return `${subject(report, words)} ended well ${when}${oomAside(report, words)}${leakAside(report)}`;
    case 'failed':
      return `${subject(report, words)} exited with code ${ending.code}${shellSignal(ending.code)} ${when}${oomAside(report, words)}`;
    case 'killed':
      return `${subject(report, words)} was killed by ${signalName(ending.signal)} ${when}${killer(report, words)}`;
    case 'ended': {
      const by = words.theirs('ended_by', ending.endedBy ?? '', 120);
      return `Highwater ended ${subject(report, words)} ${when}: ${by}${leakAside(report)}`;
    }
    case 'cut-off':
      return 'no end was recorded';
    case 'watched':
      return recording.subject === 'host'
        ? `the machine was watched for ${long}${leakAside(report)}`
        : `${subject(report, words)} outlived the recording of ${long}${leakAside(report)}`;
    case 'imported':
      return `imported, ${long} long${leakAside(report)}`;
  }
}

/** A run that ends well and leaks is the one that dies next week. */
function leakAside({ leak: { verdict, because, trend, shelf } }: ReportFacts): string {
  if (verdict !== 'leak') return '';
  if (trend?.verdict === 'leak') return `, but it leaks ${rateWords(trend)}`;
  if (shelf?.verdict !== 'leak') return `, but its ${because}`;
  if (shelf.leakedBytes === null) return '';
  const { leakedBytes, uncertaintyBytes } = shelf;
  return `, but leaves ${formatDelta(leakedBytes)} ± ${formatBytes(uncertaintyBytes ?? Number.NaN)} behind`;
}

/** Who sent SIGKILL is the question after every such end. */
function killer({ ending }: ReportFacts, words: VerdictBuilder): string {
  const evidence = oomEvidence(ending.oomEvidence, words);
  if (ending.oomKilled) return `: the kernel's out-of-memory killer${evidence}`;
  if (ending.signal !== 'SIGKILL') return '';
  return ending.oomKilled === false
    ? `, not by the kernel's out-of-memory killer${evidence}`
    : `; whether it was the kernel's out-of-memory killer is unknown${evidence}`;
}

/** The command itself may go on after the kernel took one of its workers. */
function oomAside(report: ReportFacts, words: VerdictBuilder): string {
  const { ending } = report;
  const message = ending.oomMessages.at(-1)?.lines[0];
  if (message && ending.how === 'failed') {
    return `: ${words.theirs('message', message, 160)}${traceAside(report)}`;
  }
  return ending.oomKilled
    ? `; the kernel's out-of-memory killer took one of its processes${oomEvidence(ending.oomEvidence, words)}`
    : '';
}

/** Why, where a trace of the allocator tells it. */
function traceAside({ devices }: ReportFacts): string {
  const oom = firstDevice(devices)?.oom;
  const why = oom ? whyWords(oom.causes, oom.work) : '';
  return why === '' ? '' : `; ${why}`;
}

const oomEvidence = (text: string, words: VerdictBuilder) =>
  text === '' ? '' : ` (${words.theirs('kernel', text, 200)})`;

/** A recording may come from anywhere: what is no name of a signal is not repeated. */
export const signalName = (signal: string | null): string =>
  signal !== null && /^SIG[A-Z0-9+]{1,12}$/.test(signal) ? signal : 'a signal';

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
