import { alignColumns, ellipsize } from '../../src/base/text.ts';
import { percent } from './machine-load.ts';
import type { Outcome } from './run.ts';

const HEADER = ['program', 'set', 'truth', 'verdict', 'score', 'culprit', 'slope', 's', 'because'];
const BECAUSE = 90;

/** The one table: a row for each run, what is wrong last, where one looks first. */
export function formatOutcomes(outcomes: readonly Outcome[]): string {
  const rows = [...outcomes].sort((a, b) => rank(a) - rank(b)).map(cells);
  return alignColumns([HEADER, ...rows]).join('\n');
}

/** One line, while it goes on. */
export const formatProgress = (outcome: Outcome, done: number, of: number): string =>
  `${String(done).padStart(String(of).length)}/${of} ${markOf(outcome).padEnd(9)} ${outcome.program.name}` +
  `  ${cells(outcome)[3]}, ${outcome.seconds.toFixed(0)} s, load ${outcome.machine.load.toFixed(1)}` +
  `${rank(outcome) > 1 ? `  ${ellipsize(cells(outcome).at(-1)!, BECAUSE)}` : ''}`;

function cells(outcome: Outcome): string[] {
  const { program, report, score, seconds } = outcome;
  const because = outcome.absent ?? outcome.failed ?? score?.because ?? '';
  return [
    program.name,
    program.set,
    program.truth.leak ? 'leak' : 'clean',
    report?.leak.verdict ?? '–',
    markOf(outcome),
    yesNo(score?.culprit),
    yesNo(score?.slope),
    seconds.toFixed(0),
    ellipsize(because, BECAUSE),
  ];
}

export const markOf = ({ absent, failed, score }: Outcome): string =>
  absent !== null ? 'absent' : failed !== null ? 'failed' : score!.mark;

const ORDER = ['right', 'honest', 'unbounded', 'absent', 'failed', 'wrong'];
const rank = (outcome: Outcome) => ORDER.indexOf(markOf(outcome));
const yesNo = (is: boolean | null | undefined) => (is == null ? '–' : is ? 'right' : 'WRONG');

/** The shares that the limits are about. */
export interface Totals {
  readonly runs: number;
  readonly right: number;
  readonly honest: number;
  readonly unbounded: number;
  readonly wrong: number;
  readonly falseAlarms: number;
  /** Leaks that were found, of all that were there. */
  readonly leaks: number;
  readonly found: number;
  /** Of the leaks that were found and whose culprit is known. */
  readonly culprits: number;
  readonly culpritsRight: number;
  readonly slopes: number;
  readonly slopesRight: number;
  readonly absent: number;
  readonly failed: number;
}

export function totalsOf(outcomes: readonly Outcome[]): Totals {
  const count = (is: (outcome: Outcome) => boolean) => outcomes.filter(is).length;
  const scored = (is: (score: NonNullable<Outcome['score']>) => boolean) =>
    count(({ score }) => score !== null && is(score));
  return {
    runs: scored(() => true),
    right: scored(({ mark }) => mark === 'right'),
    honest: scored(({ mark }) => mark === 'honest'),
    unbounded: scored(({ mark }) => mark === 'unbounded'),
    wrong: scored(({ mark }) => mark === 'wrong'),
    falseAlarms: scored(({ falseAlarm }) => falseAlarm),
    leaks: count(({ score, program }) => score !== null && program.truth.leak),
    found: count(
      ({ score, program, report }) =>
        score !== null && program.truth.leak && report?.leak.verdict === 'leak',
    ),
    culprits: scored(({ culprit }) => culprit !== null),
    culpritsRight: scored(({ culprit }) => culprit === true),
    slopes: scored(({ slope }) => slope !== null),
    slopesRight: scored(({ slope }) => slope === true),
    absent: count(({ absent }) => absent !== null),
    failed: count(({ failed }) => failed !== null),
  };
}

export function formatTotals(totals: Totals): string {
  const of = (part: number, whole: number) =>
    `${part} of ${whole}${whole > 0 ? ` (${percent(part / whole)})` : ''}`;
  const rows = [
    ['right', of(totals.right, totals.runs)],
    ['honest', of(totals.honest, totals.runs)],
    ...(totals.unbounded > 0 ? [['honest, no bound', of(totals.unbounded, totals.runs)]] : []),
    ['wrong', of(totals.wrong, totals.runs)],
    ['false alarms', `${totals.falseAlarms}`],
    ['leaks found', of(totals.found, totals.leaks)],
    ['culprits right', of(totals.culpritsRight, totals.culprits)],
    ['slopes right', of(totals.slopesRight, totals.slopes)],
    ...(totals.absent > 0 ? [['absent', `${totals.absent}, not run`]] : []),
    ...(totals.failed > 0 ? [['failed', `${totals.failed}, not scored`]] : []),
  ];
  return alignColumns(rows).join('\n');
}
