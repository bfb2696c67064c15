import { count } from '../../base/text.ts';
import type { Verdict } from '../../model/verdict.ts';
import type { CheckStatus } from '../check/finding.ts';
import type { CheckFacts } from '../check/result.ts';
import { VerdictBuilder } from './builder.ts';
import type { Found } from './found.ts';

const WORDS: Readonly<Record<CheckStatus, string>> = {
  pass: 'kept',
  fail: 'broken',
  unknown: 'cannot be told',
};

/** Whether runs keep within limits. */
export function checkVerdict(check: CheckFacts): Verdict {
  const words = new VerdictBuilder(check);
  const order: readonly CheckStatus[] = ['fail', 'unknown', 'pass'];
  const ranked = [...check.findings.entries()].sort(
    ([, a], [, b]) => order.indexOf(a.status) - order.indexOf(b.status),
  );
  for (const [i, { status, limit, evidence }] of ranked) {
    const what = words.theirs('limit', limit, 80);
    const why = words.theirs('figures', evidence, 160);
    words.evidence(`/findings/${i}/measuredBytes`, 'bytes', `${WORDS[status]}: ${what}: ${why}`);
  }
  const [worst] = ranked[0]?.[1].parts ?? [];
  if (worst) {
    const name = words.theirs('part', worst.name, 80);
    words.evidence(
      `/findings/${ranked[0]![0]}/parts/0/bytes`,
      'bytes',
      `most of it, by ${worst.by}: ${name}`,
    );
  }
  if (check.notes.length > 0)
    words.against('/notes/0', null, words.theirs('note', check.notes[0]!, 200));
  if (check.status !== 'pass') words.next('what held the memory', 'report', '{input}', '--json');
  const { code, certainty } = causeOf(check);
  return words.build(code, certainty, `${sentenceOf(check, words)}`);
}

function causeOf({ status, findings }: CheckFacts): Found {
  if (status === 'unknown') return { code: 'cannot-tell', certainty: 'unknown' };
  // A peak is measured; growth is judged by an interval.
  const judged = status === 'fail' ? findings.filter((one) => one.status === 'fail') : findings;
  const measured = judged.every(({ kind }) => kind === 'peak' || kind === 'regress');
  const code = status === 'fail' ? 'over-limit' : 'within-limits';
  return { code, certainty: measured ? 'certain' : 'likely' };
}

/** The answer in one line. */
function sentenceOf(
  { status, findings, runs, baselineRuns }: CheckFacts,
  words: VerdictBuilder,
): string {
  const names = words.theirs('runs', [...new Set(runs.map(({ name }) => name))].join(', '), 120);
  const against = baselineRuns > 0 ? ` (baseline of ${count(baselineRuns, 'run')})` : '';
  const of = (wanted: CheckStatus) =>
    findings.filter((finding) => finding.status === wanted).length;
  if (status === 'pass') return `Within ${count(findings.length, 'limit')}: ${names}${against}`;
  const over = of('fail') > 0 ? `over ${count(of('fail'), 'limit')} of ${findings.length}` : '';
  const open = of('unknown') > 0 ? `${of('unknown')} of ${findings.length} cannot be told` : '';
  const said = [over, open].filter(Boolean).join(', ') || 'cannot be told, as the run failed';
  return `${said[0]!.toUpperCase()}${said.slice(1)}: ${names}${against}`;
}
