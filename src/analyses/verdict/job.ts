import { formatBytes } from '../../base/bytes.ts';
import { count, percent } from '../../base/text.ts';
import { formatDuration } from '../../base/time.ts';
import type { Measure } from '../../model/job/summary.ts';
import { CAUSES, type CauseCode, type Certainty, type Verdict } from '../../model/verdict.ts';
import type { FirstDeath } from '../job/first-death.ts';
import type { JobFacts } from '../job/job-facts.ts';
import { VerdictBuilder } from './builder.ts';

const MEASURED: Readonly<Record<Measure, string>> = {
  card: 'of its card',
  torch: "of torch's memory",
  memory: 'of memory',
};

/** What became of a job: who died first, who leaks, who stands out. */
export function jobVerdict(facts: JobFacts): Verdict {
  const words = new VerdictBuilder(facts);
  const { code, certainty, sentence } = answerOf(facts, words);
  addFigures(facts, words);
  addDoubts(facts, words);
  const died = facts.firstDeath !== null;
  if (died || facts.outliers.length > 0)
    words.next('the whole report of one rank, with what held its memory', 'report', '{recording}');
  return words.build(code, certainty, sentence);
}

interface Answer {
  readonly code: CauseCode;
  readonly certainty: Certainty;
  readonly sentence: string;
}

function answerOf(facts: JobFacts, words: VerdictBuilder): Answer {
  const { firstDeath, leaks, outliers, ranks, job } = facts;
  const of = ` of ${count(ranks.count, 'rank')}`;
  if (firstDeath) return deathAnswer(facts, firstDeath, words);
  const [leak] = leaks.first;
  if (leak) {
    const who = rankWords(leak, words);
    const rate = leak.perHourBytes === null ? '' : `, ${formatBytes(leak.perHourBytes)} an hour`;
    const others = leaks.count > 1 ? `${leaks.count}${of} leak, ${who} the first` : `${who} leaks`;
    return { code: 'leak', certainty: 'likely', sentence: `Leak: ${others}${rate}.` };
  }
  const [outlier] = outliers;
  if (outlier) {
    const { bytes, medianBytes, measure } = outlier;
    const apart = formatBytes(Math.abs(bytes - medianBytes));
    const more = bytes > medianBytes ? 'more' : 'less';
    return {
      code: 'needs-more',
      certainty: 'certain',
      sentence: `${capital(rankWords(outlier, words))} stands out: ${formatBytes(bytes)} ${MEASURED[measure]}, ${apart} ${more} than the median of the others.`,
    };
  }
  const [peak] = facts.peaks;
  const highest = peak
    ? `; the highest held ${formatBytes(peak.maxBytes)} ${MEASURED[peak.measure]}, the median rank ${formatBytes(peak.medianBytes)}`
    : '';
  const after = ` after ${formatDuration(job.durationSeconds)}`;
  if (!peak)
    return {
      code: 'nothing-measured',
      certainty: 'certain',
      sentence: `${capital(count(ranks.count, 'rank'))}: no memory was measured.`,
    };
  if (ranks.running > 0) {
    return {
      code: 'incomplete',
      certainty: 'certain',
      sentence: `${ranks.running}${of} still run${after}${highest}.`,
    };
  }
  if (ranks.missing.count + ranks.cut.count > 0) {
    return {
      code: 'incomplete',
      certainty: 'certain',
      sentence: `${count(ranks.count, 'rank')} ended, none badly${highest}; ${absentWords(facts)}.`,
    };
  }
  return {
    code: 'no-problem-seen',
    certainty: 'likely',
    sentence: `All ${count(ranks.count, 'rank')} ended well${after}${highest}.`,
  };
}

function deathAnswer(facts: JobFacts, death: FirstDeath, words: VerdictBuilder): Answer {
  const { ranks } = facts;
  const known = Object.hasOwn(CAUSES, death.cause) ? (death.cause as CauseCode) : 'failed';
  // What its own report does not blame is not blamed here: it may have died of something else.
  const ofMemory = death.outOfMemory === true;
  const isCause = ![
    'no-problem-seen',
    'leak',
    'needs-more',
    'answers',
    'nothing-measured',
  ].includes(known);
  const code: CauseCode =
    death.how === 'cut-off'
      ? 'incomplete'
      : isCause
        ? known
        : ofMemory
          ? 'out-of-memory'
          : 'failed';
  const dead = (['failed', 'killed', 'cut-off', 'gone'] as const).reduce(
    (sum, how) => sum + (ranks.endings[how] ?? 0),
    0,
  );
  const who = rankWords(death, words);
  const when = `at ${formatDuration(death.seconds)}`;
  const others = `${dead} of ${count(ranks.count, 'rank')} ended badly`;
  if (!death.certain && death.orRather.length > 0) {
    const rivals = death.orRather.slice(0, 2).map((one) => rankWords(one, words));
    return {
      code,
      certainty: 'possible',
      sentence: `${capital(who)} or ${rivals.join(' or ')} died first, ${when}, which cannot be told: ${death.doubt}; ${how(death)}; ${others}.`,
    };
  }
  return {
    code,
    certainty: death.certain ? 'certain' : 'likely',
    sentence:
      ranks.count === 1
        ? `${capital(who)} died ${when}: ${how(death)}.`
        : `${capital(who)} died first, ${when}: ${how(death)}; ${others}.`,
  };
}

function how({ how, code, signal, outOfMemory }: FirstDeath): string {
  const memory = outOfMemory ? ', out of memory' : '';
  switch (how) {
    case 'killed':
      return `killed by ${/^SIG[A-Z0-9]{1,10}$/.test(signal ?? '') ? signal : 'a signal'}${memory}`;
    case 'failed':
      return `exit code ${code ?? 'unknown'}${memory}`;
    case 'cut-off':
      return 'its recording was cut off there (the recorder was killed or the machine went down)';
    default:
      return `its process was gone${memory}; how it ended was not seen`;
  }
}

/** `rank 3 on {node}`; a machine's name is not ours. */
function rankWords(
  { rank, node }: { readonly rank: number | null; readonly node: string },
  words: VerdictBuilder,
): string {
  const name = words.theirs('node', node, 40);
  return rank === null ? `the run on ${name}` : `rank ${rank} on ${name}`;
}

const capital = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1);

function absentWords({ ranks: { missing, cut } }: JobFacts): string {
  return [
    missing.count > 0 ? `no recording of ${count(missing.count, 'rank')}` : '',
    cut.count > 0 ? `${count(cut.count, 'recording')} cut off` : '',
  ]
    .filter(Boolean)
    .join(', ');
}

function addFigures(facts: JobFacts, words: VerdictBuilder): void {
  const { firstDeath, ranks, peaks, outliers, leaks, pace, skew, asked } = facts;
  if (firstDeath) {
    words.evidence('/firstDeath/seconds', 'seconds', 'when the first rank died');
    const said = words.theirs('said', firstDeath.sentence, 160);
    words.evidence('/firstDeath/sentence', null, `its own report: ${said}`);
  }
  if (ranks.outOfMemory > 0)
    words.evidence('/ranks/outOfMemory', 'count', 'ranks that ran out of memory');
  for (const [i, { measure, maxBytes }] of peaks.entries()) {
    const what = { card: 'a card', torch: "torch's memory", memory: 'memory' }[measure];
    words.evidence(
      `/peaks/${i}/maxBytes`,
      'bytes',
      `highest ${what} of a rank: ${formatBytes(maxBytes)}`,
    );
    words.evidence(`/peaks/${i}/medianBytes`, 'bytes', `of the median rank`);
  }
  for (const [i, { rank, bytes, medianBytes }] of outliers.slice(0, 2).entries()) {
    const apart = formatBytes(Math.abs(bytes - medianBytes));
    words.evidence(
      `/outliers/${i}/bytes`,
      'bytes',
      `rank ${rank ?? '?'}: ${apart} ${bytes > medianBytes ? 'more' : 'less'} than the median of the others`,
    );
  }
  if (leaks.count > 0) words.evidence('/leaks/count', 'count', 'recordings that leak');
  if (skew && skew.sinceSeconds !== null) {
    words.evidence(
      '/skew/sinceSeconds',
      'seconds',
      'since then one rank holds clearly more than the others',
    );
  }
  if (pace && pace.stragglers.length > 0)
    words.evidence('/pace/slowestSeconds', 'seconds', 'an iteration of the slowest rank');
  if (asked.memory) {
    const { askedBytes, usedBytes } = asked.memory;
    words.evidence(
      '/asked/memory/usedBytes',
      'bytes',
      `at most ${percent(usedBytes / askedBytes)} of the memory that was asked for`,
    );
  }
  if (asked.cards) {
    const { memoryBytes, usedBytes } = asked.cards;
    words.evidence(
      '/asked/cards/usedBytes',
      'bytes',
      `${percent(usedBytes / memoryBytes)} of the cards' memory`,
    );
  }
}

function addDoubts(
  { ranks, firstDeath, recordings, outliers, peaks }: JobFacts,
  words: VerdictBuilder,
): void {
  if (firstDeath?.doubt) words.against('/firstDeath/doubt', null, firstDeath.doubt);
  if (ranks.missing.count > 0)
    words.against('/ranks/missing/count', 'count', 'ranks of which there is no recording');
  if (ranks.cut.count > 0)
    words.against('/ranks/cut/count', 'count', 'recordings that stop before their end');
  if (ranks.twice.count > 0)
    words.against('/ranks/twice/count', 'count', 'ranks that are there more than once');
  if (recordings.unreadable.count > 0)
    words.against('/recordings/unreadable/count', 'count', 'recordings that cannot be read');
  if (outliers.some(({ deviations }) => deviations === null) && (peaks[0]?.ranks ?? 0) < 5)
    words.against('/ranks/count', 'count', 'too few ranks to say how far they usually lie apart');
}
