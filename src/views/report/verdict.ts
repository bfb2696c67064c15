import type { Report } from '../../analyses/report.ts';
import { formatBytes } from '../../base/bytes.ts';
import { capitalized, printable, shellJoin } from '../../base/text.ts';
import { deviceName } from '../../model/allocations/device-name.ts';
import { CAUSES, type CauseCode, filled, GIVE_ROOM, type Verdict } from '../../model/verdict.ts';
import { kindWords } from './leak-kind.ts';
import { adviceWords } from './oom-and-fragmentation.ts';
import { outlierWords, rankNotes } from './ranks.ts';
import type { Fact } from './section.ts';

/** What a verdict says beside its sentence, ready to show. */
export interface VerdictNotes {
  /** `Likely: a limit of process, container … was reached`. */
  readonly cause: string;
  /** What it rests on, the most telling first. */
  readonly reasons: readonly string[];
  readonly against: readonly string[];
  readonly fixes: readonly string[];
  readonly next: { readonly command: string; readonly why: string } | null;
}

/** That all went well, or that the figures end early, the sentence has said. */
const SAID: readonly CauseCode[] = [
  'no-problem-seen',
  'nothing-measured',
  'incomplete',
  'ended-by-highwater',
];

/** More would push what else is to be seen off the screen. */
const MOST_FIXES = 3;
const MOST_REASONS = 3;

/** For the page; null where there is nothing to add to the sentence. */
export function verdictNotes(report: Report): VerdictNotes | null {
  const { verdict } = report;
  const { outlier } = report.ranks;
  if (SAID.includes(verdict.cause.code)) {
    return outlier ? rankVerdict(report) : fragmentedVerdict(report);
  }
  const say = (text: string) => printable(filled(verdict, text));
  const { next } = verdict;
  return {
    cause: `${capitalized(verdict.certainty)}: ${meaning(verdict)}`,
    reasons: reasonsOf(report).slice(0, MOST_REASONS),
    // Warnings stand beside it.
    against: verdict.against
      .filter(({ at }) => !/^\/(warnings|trust)\//.test(at))
      .map(({ statement }) => say(statement)),
    // What a replay shows to be of no use is no advice; the section on it tells it.
    fixes: [
      ...leakAdvice(report),
      ...verdict.fixes
        .filter(({ outcome }) => outcome !== 'dies')
        .map((fix) => `${say(fix.what)}${gainOf(fix)}`),
    ].slice(0, MOST_FIXES),
    // Whoever reads this has the report before him.
    next:
      next && next.argv[1] !== 'report'
        ? { command: next.argv.map((word) => spelt(word, report)).join(' '), why: next.why }
        : null,
  };
}

/** A word of a command to type: what was recorded in the place of its name, where that is short enough to be read. */
function spelt(word: string, { recording: { argv } }: Report): string {
  if (word !== '{command}') return word;
  const command = printable(shellJoin(argv));
  return command === '' || command.length > MOST_COMMAND ? 'COMMAND' : command;
}

const MOST_COMMAND = 100;

/** Memory that is reserved and of no use, where a replay shows a setting that needs clearly less. */
function fragmentedVerdict({ devices }: Report): VerdictNotes | null {
  const saves = devices.flatMap(({ device, fragmentation }) =>
    (fragmentation?.advice ?? [])
      .filter(({ reservedBytes, insteadBytes }) => reservedBytes < WORTH_A_SETTING * insteadBytes)
      .map((advice) => ({ device, found: fragmentation!, advice })),
  );
  const [first] = saves;
  if (!first) return null;
  const { reservedBytes, requestedBytes, pinnedBytes, cachedBytes } = first.found;
  return {
    cause: `Fragmentation on ${deviceName(first.device)}: ${formatBytes(reservedBytes)} reserved for ${formatBytes(requestedBytes)} in use`,
    reasons: [
      `${formatBytes(pinnedBytes)} in holes that live blocks pin, ${formatBytes(cachedBytes)} in unused segments`,
    ],
    against: [],
    fixes: saves
      .filter(({ found }) => found === first.found)
      .slice(0, MOST_FIXES)
      .map(({ advice }) => adviceWords(advice)),
    next: null,
  };
}

/** A setting that reserves a tenth less is worth a word. */
const WORTH_A_SETTING = 0.9;

/** What a rank holds more of, and what to look at. */
export function rankVerdict(report: Pick<Report, 'ranks'>): VerdictNotes {
  const { rank, more } = report.ranks.outlier!;
  const first = more[0] ? `; first of all: ${printable(more[0].what)}` : '';
  return {
    cause: outlierWords(report.ranks.outlier!),
    reasons: rankNotes(report, '').slice(1, 1 + MOST_REASONS),
    against: [],
    fixes: [
      `let rank ${rank} do no more than the others: look at what it alone loads, gathers, logs or keeps${first}`,
    ],
    next: null,
  };
}

/** The cause's own evidence, or of a leak what grows and who holds it. */
function reasonsOf(report: Report): string[] {
  const { verdict, leak } = report;
  const [first] = verdict.causes;
  const say = ({ statement }: { readonly statement: string }) =>
    printable(filled(verdict, statement));
  if (first) return first.evidence.map(say);
  if (verdict.cause.code === 'leak') {
    const kind = leak.kind === 'unknown' ? '' : kindWords(report);
    return [...(kind === '' ? [] : [kind]), ...verdict.evidence.slice(0, 1).map(say)];
  }
  return verdict.evidence.map(say);
}

/** The first advice names the thing itself (`keep loss.item()`); the verdict's fix is of its kind. */
const leakAdvice = ({ verdict, leak }: Report): string[] =>
  verdict.cause.code === 'leak' && leak.kind !== 'unknown'
    ? leak.advice.slice(0, 1).map(printable)
    : [];

/** What a change gains, and whether a replay shows that it is enough. */
function gainOf({ id, bytes, enough, outcome, margin }: Verdict['fixes'][number]): string {
  if (bytes === null) return '';
  const tried =
    outcome === 'runs'
      ? `, then it runs${margin ? ` with ${formatBytes(margin)} to spare` : ''}`
      : outcome === 'dies'
        ? ', and it runs out all the same'
        : enough === false
          ? ', perhaps not enough alone'
          : '';
  const more = GIVE_ROOM.includes(id) ? ' more to be had' : '';
  return ` (${gainWords(bytes)}${more}${tried})`;
}

const meaning = ({ cause }: Verdict) => CAUSES[cause.code].replace(/^memory ran out: /, '');

function gainWords({ low, high }: { readonly low: number; readonly high: number }): string {
  return low > 0 ? `${formatBytes(low)} to ${formatBytes(high)}` : `up to ${formatBytes(high)}`;
}

const RAN_OUT: readonly CauseCode[] = [
  'too-large',
  'fragmentation',
  'other-process',
  'limit',
  'host-full',
  'shm-full',
  'out-of-memory',
];

/** Why memory ran out, by a trace of the allocator; the section on it tells more. */
export function tracedFacts(verdict: Verdict): Fact[] {
  const [first] = verdict.causes;
  if (!first || first.id !== verdict.cause.code) return [];
  const say = ({ statement }: { readonly statement: string }) =>
    printable(filled(verdict, statement));
  return [
    ['why', `${verdict.certainty}: ${meaning(verdict)}`],
    ...first.evidence.map((one): Fact => ['', say(one)]),
  ];
}

/** Why memory ran out and what to do, by the program's message and what was measured; nothing where a trace tells it. */
export function ranOutFacts(verdict: Verdict): Fact[] {
  if (verdict.causes.length > 0) return [];
  const judged = ({ at }: { readonly at: string }) => /^\/(outOfMemory|peaks)\//.test(at);
  const reasons = verdict.evidence.filter(judged).filter(({ at }) => !at.endsWith('/asked'));
  const doubts = verdict.against.filter(judged);
  if (!RAN_OUT.includes(verdict.cause.code) || reasons.length + doubts.length === 0) return [];
  const say = ({ statement }: { readonly statement: string }) =>
    printable(filled(verdict, statement));
  return [
    ['why', `${verdict.certainty}: ${meaning(verdict)}`],
    ...[...reasons, ...doubts].map((one): Fact => ['', say(one)]),
    ...verdict.fixes.map(
      ({ what }, i): Fact => [i === 0 ? 'what to do' : '', printable(filled(verdict, what))],
    ),
  ];
}
