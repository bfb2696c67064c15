import { formatBytes, formatDelta } from '../../base/bytes.ts';
import { shellJoin, withoutAsides } from '../../base/text.ts';
import { formatDuration } from '../../base/time.ts';
import { MOMENT_WORDS } from '../../model/allocations/live-stacks.ts';
import { rateWords } from '../../model/rate-words.ts';
import { filled } from '../../model/verdict.ts';
import { isOfDevice, type ReportFacts } from '../report-facts.ts';
import type { Stopped } from '../stopped.ts';
import { firstDevice } from '../trace-only.ts';
import { VerdictBuilder } from './builder.ts';
import { whyWords } from './failure/words.ts';
import { leakReason } from './leak.ts';
import { peakWords } from './peak-words.ts';
import { remedyWords, traceWords } from './trace-words.ts';

/** How much, when, how it ended, why and what to do: the first line of a report. What each figure rests on stands below it. */
export function reportSentence(report: ReportFacts, words: VerdictBuilder): string {
  const { stopped } = report.trust;
  if (isProfile(report)) return profileWords(report, words);
  if (isTrace(report)) return traceWords(report, words);
  if (stopped) return incomplete(report, stopped, words);
  return `${peakWords(report)}; ${endingWords(report, words)}.`;
}

/** The same while the workload runs. */
export function sentenceSoFar(report: ReportFacts): string {
  const words = new VerdictBuilder(report);
  const after = formatDuration(report.recording.durationSeconds);
  const sentence = `${peakWords(report)} so far; ${subject(report, words)} has run for ${after}.`;
  return filled(words.build('incomplete', 'unknown', sentence), sentence);
}

/** Nothing but an allocation trace is there to speak of. */
export const isTrace = ({ headline, devices }: ReportFacts): boolean =>
  devices.length > 0 && (headline === null || isOfDevice(headline));

/** Nothing but a heap profile is there to speak of. */
export const isProfile = ({ headline, devices, liveStacks }: ReportFacts): boolean =>
  liveStacks !== null && headline === null && devices.length === 0;

function profileWords({ liveStacks }: ReportFacts, words: VerdictBuilder): string {
  const { bytes, places, moment, leftBytes } = liveStacks!;
  const [most] = places;
  const by = most
    ? `, ${formatBytes(most.bytes)} of it made by ${words.theirs('maker', most.where, 120)}`
    : '';
  if (moment === 'taken') {
    return `${formatBytes(bytes)} ${MOMENT_WORDS.taken}${by}; its peak is not told.`;
  }
  return `${formatBytes(bytes)} ${MOMENT_WORDS.peak}${by}; ${formatBytes(leftBytes ?? 0)} still in use at its end.`;
}

/** What is missing comes first: a peak that was seen need not be the peak. */
function incomplete(report: ReportFacts, { seconds, why }: Stopped, words: VerdictBuilder): string {
  const peak = peakWords(report);
  const later = report.ending.how === 'cut-off' ? '' : `; ${endingWords(report, words)}`;
  return (
    `Incomplete: the recording stops at ${formatDuration(seconds)}: ${words.theirs('why', why, 160)}. ` +
    `Until then ${peak[0]!.toLowerCase()}${peak.slice(1)}${later}.`
  );
}

/** The command as typed, short enough for a sentence. */
function subject({ recording: { argv, name } }: ReportFacts, words: VerdictBuilder): string {
  if (argv.length > 0) return words.theirs('command', shellJoin(argv.map(lastOfPath)), 60);
  return name === '' ? 'the recording' : words.theirs('name', name, 60);
}

/** Where a program lies is told with the command, below the sentence. */
const lastOfPath = (word: string) => /^\/.*\/([^/]+)$/.exec(word)?.[1] ?? word;

function endingWords(report: ReportFacts, words: VerdictBuilder): string {
  const { ending, timing, recording } = report;
  const long = formatDuration(recording.durationSeconds);
  const when =
    report.trust.stopped && timing.workloadEndSeconds === null ? 'later' : `after ${long}`;
  switch (ending.how) {
    case 'well':
      return `${subject(report, words)} ended well ${when}${oomAside(report, words)}${leakAside(report, words)}${rankAside(report)}`;
    case 'failed':
      return `${subject(report, words)} exited with code ${ending.code}${shellSignal(ending.code)} ${when}${oomAside(report, words)}`;
    case 'killed':
      return `${subject(report, words)} was killed by ${signalName(ending.signal)} ${when}${killer(report)}`;
    case 'ended': {
      const by = words.theirs('ended_by', ending.endedBy ?? '', 120);
      return `Highwater ended ${subject(report, words)} ${when}: ${by}${leakAside(report, words)}`;
    }
    case 'cut-off':
      return 'no end was recorded';
    case 'watched':
      return recording.subject === 'host'
        ? `the machine was watched for ${long}${leakAside(report, words)}`
        : `${subject(report, words)} outlived the recording of ${long}${leakAside(report, words)}`;
    case 'imported':
      return `imported, ${long} long${leakAside(report, words)}`;
  }
}

/** A run that ends well and leaks is the one that dies next week. */
function leakAside(report: ReportFacts, words: VerdictBuilder): string {
  const { verdict, because, trend, shelf } = report.leak;
  if (verdict !== 'leak') return '';
  const why = leakReason(report, words);
  if (trend?.verdict === 'leak') return `, but it leaks ${rateWords(trend)}${why}`;
  if (shelf?.verdict !== 'leak') return `, but its ${because}${why}`;
  if (shelf.leakedBytes === null) return '';
  const { leakedBytes, uncertaintyBytes } = shelf;
  return `, but leaves ${formatDelta(leakedBytes)} ± ${formatBytes(uncertaintyBytes ?? Number.NaN)} behind${why}`;
}

/** A rank that holds more than the others is the one that runs out first. */
function rankAside({ ranks: { outlier } }: ReportFacts): string {
  if (!outlier) return '';
  const { rank, bytes, medianBytes } = outlier;
  return `; rank ${rank} stands out: ${formatBytes(bytes - medianBytes)} more than the median of the others`;
}

/** Who sent SIGKILL is the question after every such end; what the answer rests on, the ending tells. */
function killer({ ending }: ReportFacts): string {
  if (ending.oomKilled) return ": the kernel's out-of-memory killer";
  if (ending.signal !== 'SIGKILL') return '';
  return ending.oomKilled === false
    ? ", not by the kernel's out-of-memory killer"
    : "; whether it was the kernel's out-of-memory killer is unknown";
}

/** The command itself may go on after the kernel took one of its workers. */
function oomAside(report: ReportFacts, words: VerdictBuilder): string {
  const { ending } = report;
  const message = ending.oomMessages.at(-1)?.lines[0];
  if (message && ending.how === 'failed') {
    return `: ${words.theirs('message', withoutAsides(message), 160)}${traceAside(report, words)}`;
  }
  return ending.oomKilled ? "; the kernel's out-of-memory killer took one of its processes" : '';
}

/** Why, and what to do, where a trace of the allocator tells it. */
function traceAside({ devices }: ReportFacts, words: VerdictBuilder): string {
  const oom = firstDevice(devices)?.oom;
  if (!oom) return '';
  const why = whyWords(oom.causes, oom.work);
  return `${why === '' ? '' : `; ${why}`}${remedyWords(oom, words)}`;
}

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
  return signal ? `, a shell's word for ${signal},` : '';
}
