import { formatBytes } from '../../base/bytes.ts';
import { capitalized, printable } from '../../base/text.ts';
import { CAUSES, type CauseCode, filled, type Verdict } from '../../model/verdict.ts';
import type { Fact } from './section.ts';

/** What a verdict says beside its sentence, ready to show. */
export interface VerdictNotes {
  /** `Likely: a limit of process, container … was reached`. */
  readonly cause: string;
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

/** For the page; null where there is nothing to add to the sentence. */
export function verdictNotes(verdict: Verdict): VerdictNotes | null {
  if (SAID.includes(verdict.cause.code)) return null;
  const say = (text: string) => printable(filled(verdict, text));
  const { next } = verdict;
  return {
    cause: `${capitalized(verdict.certainty)}: ${meaning(verdict)}`,
    // Warnings stand beside it.
    against: verdict.against
      .filter(({ at }) => !/^\/(warnings|trust)\//.test(at))
      .map(({ statement }) => say(statement)),
    fixes: verdict.fixes.slice(0, MOST_FIXES).map(({ what, bytes, enough }) => {
      const gain =
        bytes === null
          ? ''
          : ` (${gainWords(bytes)}${enough === false ? ', not enough alone' : ''})`;
      return `${say(what)}${gain}`;
    }),
    // Whoever reads this has the report before him.
    next:
      next && next.argv[1] !== 'report' ? { command: next.argv.join(' '), why: next.why } : null,
  };
}

const meaning = ({ cause }: Verdict) => CAUSES[cause.code].replace(/^memory ran out: /, '');

function gainWords({ low, high }: { readonly low: number; readonly high: number }): string {
  return low > 0 ? `${formatBytes(low)} to ${formatBytes(high)}` : `${formatBytes(high)} at most`;
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
