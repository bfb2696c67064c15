import { formatBytes } from '../../base/bytes.ts';
import { count, percent } from '../../base/text.ts';
import type { Verdict } from '../../model/verdict.ts';
import type { WhatIfFigures } from '../allocations/what-if/answer.ts';
import type { DiesAt, WhatIfRow } from '../allocations/what-if/rows.ts';
import { VerdictBuilder } from './builder.ts';
import type { Found } from './found.ts';

type Said = Found & { readonly sentence: string };

/** A saving below this is not worth a setting. */
const WORTH_SHARE = 0.02;

/** Whether another setting would reserve less, or whether it runs on the card that was named. */
export function whatIfVerdict(result: WhatIfFigures): Verdict {
  const words = new VerdictBuilder(result);
  const { recorded, floorBytes } = result;
  const said = result.card ? ofCard(result, words) : ofSettings(result, words);
  words.evidence(
    '/recorded/reservedPeakBytes',
    'bytes',
    `the recorded run reserved ${formatBytes(recorded.reservedPeakBytes)}`,
  );
  words.evidence(
    '/recorded/simulatedReservedPeakBytes',
    'bytes',
    recorded.exact
      ? 'its replay fetched the same segments in the same order, to the byte'
      : `its replay reserved ${formatBytes(recorded.simulatedReservedPeakBytes)}: they do not agree`,
  );
  words.evidence(
    '/floorBytes',
    'bytes',
    `${formatBytes(floorBytes)} were in use at one moment: no setting can do with less`,
  );
  const doubts = result.notes.slice(0, 3);
  for (const [at, note] of doubts.entries()) {
    words.against(`/notes/${at}`, null, words.theirs('note', note, 200));
  }
  if (!recorded.exact) return words.build('cannot-tell', 'unknown', UNPROVEN);
  return words.build(said.code, said.certainty, said.sentence);
}

const UNPROVEN =
  'The recorded run cannot be replayed as it was, so nothing is claimed of other settings.';

function ofSettings({ rows, recorded, variable }: WhatIfFigures, words: VerdictBuilder): Said {
  if (rows.some(({ limitBytes }) => limitBytes !== null)) return ofLimits(rows, words);
  if (recorded.outcome === 'dies') return afterDeath(rows, variable, words);
  const alive = rows.filter(({ savingBytes }) => savingBytes !== null);
  const best = alive.reduce<WhatIfRow | null>(
    (found, row) => (found && found.savingBytes! >= row.savingBytes! ? found : row),
    null,
  );
  if (!best) {
    const at = rows.findIndex(({ diesAt }) => diesAt !== null);
    if (at < 0) return { code: 'cannot-tell', certainty: 'unknown', sentence: UNPROVEN };
    words.evidence(
      `/rows/${at}/diesAt/requestedBytes`,
      'bytes',
      diesWords(rows[at]!.diesAt!, words),
    );
    const sentence =
      rows.length === 1
        ? `It would run out of memory at ${formatBytes(rows[at]!.reservedPeakBytes)} reserved.`
        : 'It would run out of memory under each of these settings.';
    return { code: 'does-not-fit', certainty: 'likely', sentence };
  }
  const saving = best.savingBytes!;
  const at = `/rows/${rows.indexOf(best)}`;
  words.evidence(
    `${at}/reservedPeakBytes`,
    'bytes',
    `with {setting} it would reserve ${formatBytes(best.reservedPeakBytes)}`,
  );
  const setting = words.theirs('setting', best.conf, 200);
  if (saving <= recorded.reservedPeakBytes * WORTH_SHARE) {
    const most =
      saving > 0
        ? `more than ${formatBytes(saving)} (${percent(saving / recorded.reservedPeakBytes)})`
        : 'anything';
    const sentence = `None of these settings would save ${most}: it reserves ${formatBytes(recorded.reservedPeakBytes)}.`;
    return { code: 'no-setting-saves', certainty: 'likely', sentence };
  }
  words.fix('allocator-setting', `set ${variable}=${setting}`, { low: saving, high: saving });
  return {
    code: 'setting-saves',
    certainty: 'likely',
    sentence: `With ${setting} it would reserve ${formatBytes(best.reservedPeakBytes)} instead of ${formatBytes(recorded.reservedPeakBytes)}: ${formatBytes(saving)} less.`,
  };
}

/** Pairs of settings and limits: which of them run. */
function ofLimits(rows: readonly WhatIfRow[], words: VerdictBuilder): Said {
  const dead = rows.flatMap(({ diesAt }, at) => (diesAt ? [at] : []));
  for (const at of dead.slice(0, 2)) {
    const { diesAt } = rows[at]!;
    words.evidence(`/rows/${at}/diesAt/requestedBytes`, 'bytes', diesWords(diesAt!, words));
  }
  const all = rows.length === 1 ? 'It' : rows.length === 2 ? 'Both' : `All ${rows.length}`;
  if (dead.length > 0) {
    const some = `${dead.length} of ${rows.length}`;
    return {
      code: 'does-not-fit',
      certainty: 'likely',
      sentence: `${dead.length === rows.length ? all : some} would run out of memory within the limit.`,
    };
  }
  const retries = rows.some((row) => row.retries > 0);
  return {
    code: retries ? 'fits-after-release' : 'fits',
    certainty: 'likely',
    sentence: `${all} would run within the limit${retries ? ', caches given back where a request found no memory' : ''}.`,
  };
}

/** The recorded run ran out of memory: whether a setting gets past the request that failed. */
function afterDeath(rows: readonly WhatIfRow[], variable: string, words: VerdictBuilder): Said {
  const at = rows.findIndex(({ outcome }) => outcome === 'runs');
  const dead = rows.findIndex(({ diesAt }) => diesAt !== null);
  if (dead >= 0) {
    const { diesAt } = rows[dead]!;
    words.evidence(`/rows/${dead}/diesAt/requestedBytes`, 'bytes', diesWords(diesAt!, words));
  }
  if (at < 0) {
    const perhaps = rows.findIndex(({ outcomeAtMost }) => outcomeAtMost === 'runs');
    if (perhaps >= 0) {
      const setting = words.theirs('setting', rows[perhaps]!.conf, 200);
      return {
        code: 'cannot-tell',
        certainty: 'possible',
        sentence: `It ran out of memory; with ${setting} it may have run: the limit is not known closely enough.`,
      };
    }
    const sentence = 'It ran out of memory, and would under each of these settings.';
    return { code: 'does-not-fit', certainty: 'likely', sentence };
  }
  const setting = words.theirs('setting', rows[at]!.conf, 200);
  words.fix('allocator-setting', `set ${variable}=${setting}`, null, true);
  return {
    code: 'setting-saves',
    certainty: 'likely',
    sentence: `It ran out of memory; with ${setting} it would have run to the end of the trace.`,
  };
}

function ofCard({ rows, card, variable }: WhatIfFigures, words: VerdictBuilder): Said {
  const own = rows.find(({ isRecorded }) => isRecorded) ?? rows[0]!;
  const name = /^\d/.test(card!.name)
    ? `a card of ${formatBytes(card!.totalBytes)}`
    : `the ${words.theirs('card', card!.name)}`;
  const at = `/rows/${rows.indexOf(own)}`;
  words.evidence(
    '/card/usableBytes',
    'bytes',
    `torch could reserve ${formatBytes(card!.usableBytes)} there`,
  );
  if (own.outcome === 'runs') {
    words.evidence(
      `${at}/reservedPeakBytes`,
      'bytes',
      `it would reserve ${formatBytes(own.reservedPeakBytes)}`,
    );
    if (own.retries === 0) {
      return { code: 'fits', certainty: 'likely', sentence: `On ${name} it would run.` };
    }
    const times = count(own.retries, 'retry', 'retries');
    return {
      code: 'fits-after-release',
      certainty: 'likely',
      sentence: `On ${name} it would run, with ${times} in which all caches are given back.`,
    };
  }
  words.evidence(`${at}/diesAt/requestedBytes`, 'bytes', diesWords(own.diesAt!, words));
  const helps = rows.find(({ outcome }) => outcome === 'runs');
  if (helps) {
    const setting = words.theirs('setting', helps.conf, 200);
    words.fix('allocator-setting', `set ${variable}=${setting}`, null, true);
    return {
      code: 'does-not-fit',
      certainty: 'likely',
      sentence: `On ${name} it would run out of memory as recorded, and run with ${setting}.`,
    };
  }
  return {
    code: 'does-not-fit',
    certainty: 'likely',
    sentence: `On ${name} it would run out of memory.`,
  };
}

function diesWords(
  { requestedBytes, moment, where, event }: DiesAt,
  words: VerdictBuilder,
): string {
  if (event < 0) return 'what was there before the trace began is too much already';
  const step = moment.step === null ? '' : ` in step ${moment.step}`;
  const line = where === null ? '' : `, at ${words.theirs('line', where)}`;
  return `a request of ${formatBytes(requestedBytes)} finds no memory${step}${line}`;
}
