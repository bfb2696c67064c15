import { formatDuration } from '../../base/time.ts';
import type { ReportFacts } from '../report-facts.ts';
import { firstDevice } from '../trace-only.ts';
import type { VerdictBuilder } from './builder.ts';
import type { Found } from './found.ts';
import { addKernelKill } from './kernel-kill.ts';
import { addLeak } from './leak.ts';
import { addMessage } from './report-message.ts';
import { addTraceOom } from './report-trace-oom.ts';

/** A rule adds what it rests on, and decides; null: it does not apply. */
type Rule = (report: ReportFacts, words: VerdictBuilder) => Found | null;

/** In order: memory that ran out, by whoever knows it best; another end; then what was seen of a run that went on. */
const RULES: readonly Rule[] = [
  traceOom,
  saidAtTheEnd,
  addKernelKill,
  killed,
  failed,
  leaks,
  incomplete,
  endedByHighwater,
  survived,
  nothingMeasured,
];

export function causeOf(report: ReportFacts, words: VerdictBuilder): Found {
  for (const rule of RULES) {
    const found = rule(report, words);
    if (found) return found;
  }
  // What was not seen is no proof: an imported log need not tell of its end.
  const { ending, leak } = report;
  const sure = ending.how === 'well' && leak.verdict !== 'inconclusive';
  return { code: 'no-problem-seen', certainty: sure ? 'likely' : 'possible' };
}

function traceOom(report: ReportFacts, words: VerdictBuilder): Found | null {
  const device = firstDevice(report.devices);
  // A trace that a workload left when it caught the error tells of no end.
  if (!device?.oom || report.ending.how === 'well') return null;
  return doubted(addTraceOom(report, report.devices.indexOf(device), words), report, words);
}

function saidAtTheEnd(report: ReportFacts, words: VerdictBuilder): Found | null {
  if (report.ending.how === 'well' || report.ending.oomMessages.length === 0) return null;
  return doubted(addMessage(report, words), report, words);
}

/** A program that dies of it does so soon: a snapshot may be written, and processes joined. */
const SOON_SECONDS = 30;

/** Who goes on for long after memory ran out has caught it, and may have died of something else. */
function doubted(found: Found, report: ReportFacts, words: VerdictBuilder): Found {
  const { oomMessages } = report.ending;
  const last = oomMessages.at(-1);
  const after = last ? report.recording.durationSeconds - last.seconds : 0;
  if (after <= SOON_SECONDS) return found;
  words.against(
    `/ending/oomMessages/${oomMessages.length - 1}/seconds`,
    'seconds',
    `it went on for ${formatDuration(after)} after that: it may have died of something else`,
  );
  return { code: found.code, certainty: 'possible' };
}

function killed(report: ReportFacts, words: VerdictBuilder): Found | null {
  const { how, signal, oomKilled } = report.ending;
  if (how !== 'killed' || signal !== 'SIGKILL' || oomKilled === false) return null;
  words.evidence('/ending/signal', null, 'killed by SIGKILL; nothing tells by whom');
  words.next('what would let it tell who kills', 'doctor', '--json');
  return { code: 'killed', certainty: 'unknown' };
}

function failed(report: ReportFacts, words: VerdictBuilder): Found | null {
  const { how, oomKilled } = report.ending;
  if (how !== 'failed' && how !== 'killed') return null;
  if (oomKilled === false) {
    words.evidence('/ending/oomKilled', null, 'the kernel killed nothing of it for memory');
  }
  words.evidence('/ending/oomMessages', null, 'no line of its output says that memory ran out');
  addLeak(report, words);
  return { code: 'failed', certainty: oomKilled === false ? 'likely' : 'possible' };
}

function leaks(report: ReportFacts, words: VerdictBuilder): Found | null {
  return addLeak(report, words) ? { code: 'leak', certainty: 'likely' } : null;
}

function incomplete({ trust }: ReportFacts, words: VerdictBuilder): Found | null {
  if (!trust.stopped) return null;
  words.next('record it again, to its end', 'record', '--', '{command}');
  return { code: 'incomplete', certainty: 'unknown' };
}

function endedByHighwater({ ending }: ReportFacts, words: VerdictBuilder): Found | null {
  if (ending.how !== 'ended') return null;
  words.evidence('/ending/endedBy', null, words.theirs('ended_by', ending.endedBy ?? '', 120));
  return { code: 'ended-by-highwater', certainty: 'certain' };
}

function survived(report: ReportFacts, words: VerdictBuilder): Found | null {
  const { oomMessages } = report.ending;
  if (oomMessages.length === 0 && !report.devices.some(({ oom }) => oom)) return null;
  if (oomMessages.length > 0) addMessage(report, words);
  return { code: 'out-of-memory-survived', certainty: 'likely' };
}

function nothingMeasured({ headline, gpus, liveStacks }: ReportFacts): Found | null {
  return headline || liveStacks || gpus.some(({ peak }) => peak)
    ? null
    : { code: 'nothing-measured', certainty: 'certain' };
}
