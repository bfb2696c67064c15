import { formatBytes } from '../../base/bytes.ts';
import type { Verdict } from '../../model/verdict.ts';
import type { Fit, FitAnswer, FitGroup, FitVerdict } from '../fit/index.ts';
import { VerdictBuilder } from './builder.ts';
import type { Found } from './found.ts';

/** Whether a size that was not run would fit, or how large it may become. `result` has it under `fit`. */
export function fitVerdict(result: { readonly fit: Fit }): Verdict {
  const words = new VerdictBuilder(result);
  const { fit } = result;
  const [group] = fit.groups;
  words.evidence(
    '/fit/usableBytes',
    'bytes',
    `usable: ${formatBytes(fit.usableBytes)} of ${formatBytes(fit.limitBytes)}`,
  );
  const said = group ? ofGroup(fit, group, words) : NONE;
  if (fit.groups.length > 1) {
    words.against(
      '/fit/groups',
      null,
      `one of ${fit.groups.length} groups of runs: the others may answer otherwise`,
    );
  }
  if (fit.notes.length > 0)
    words.against('/fit/notes/0', null, words.theirs('note', fit.notes[0]!, 200));
  return words.build(said.code, said.certainty, said.sentence);
}

type Said = Found & { readonly sentence: string };

const NONE: Said = {
  code: 'cannot-tell',
  certainty: 'unknown',
  sentence: 'No run is of that kind.',
};
const AT = '/fit/groups/0';

function ofGroup(fit: Fit, group: FitGroup, words: VerdictBuilder): Said {
  const of = group.name === '' ? '' : `${words.theirs('group', group.name)}: `;
  if (group.unfit !== null) {
    const why = words.theirs('why', group.unfit, 200);
    return {
      code: 'cannot-tell',
      certainty: 'unknown',
      sentence: `${of}the data do not tell: ${why}.`,
    };
  }
  const largest = addLargest(group, words);
  if (group.answer) return ofAnswer(fit, group.answer, of, words);
  return largest === null
    ? {
        code: 'cannot-tell',
        certainty: 'unknown',
        sentence: `${of}the data do not tell what fits into ${formatBytes(fit.limitBytes)}.`,
      }
    : {
        code: 'largest-that-fits',
        certainty: 'likely',
        sentence: `${of}${largest} into ${formatBytes(fit.limitBytes)}.`,
      };
}

/** How far each parameter may go; the first of them in words. */
function addLargest(group: FitGroup, words: VerdictBuilder): string | null {
  let first: string | null = null;
  for (const [i, one] of group.largest.entries()) {
    if (one.unknown) continue;
    const name = words.theirs('parameter', one.parameter, 40);
    const falls = group.parameters.find(({ name: own }) => own === one.parameter)?.falls;
    const text =
      one.value === null
        ? `no ${name} fits`
        : `the ${falls ? 'smallest' : 'largest'} ${name} that fits is ${one.atLeast ? 'at least ' : ''}${one.value}`;
    words.evidence(`${AT}/largest/${i}/value`, 'count', text);
    first ??= one.value === null ? `no ${name} fits` : `${name} up to ${one.value} fits`;
    if (first && falls && one.value !== null) first = `${name} from ${one.value} on fits`;
  }
  return first;
}

const CODES: Readonly<Record<FitVerdict, Found>> = {
  yes: { code: 'fits', certainty: 'likely' },
  no: { code: 'does-not-fit', certainty: 'likely' },
  'after-release': { code: 'fits-after-release', certainty: 'likely' },
  unsure: { code: 'cannot-tell', certainty: 'possible' },
  unknown: { code: 'cannot-tell', certainty: 'unknown' },
};

const WORDS: Readonly<Record<FitVerdict, string>> = {
  yes: 'it fits',
  no: 'it does not fit',
  'after-release': 'it fits only after the cache is released',
  unsure: 'it may fit or not',
  unknown: 'the data do not tell',
};

function ofAnswer(fit: Fit, answer: FitAnswer, of: string, words: VerdictBuilder): Said {
  const { verdict, needed, measuredBytes, beyond, reason } = answer;
  const at = words.theirs(
    'at',
    Object.entries(answer.at)
      .map(([name, value]) => `${name}=${value}`)
      .join(','),
  );
  const usable = `${formatBytes(fit.usableBytes)} usable`;
  const found =
    measuredBytes !== null && needed
      ? { ...CODES[verdict], certainty: sure(verdict) }
      : CODES[verdict];
  if (!needed) {
    const why = reason === null ? '' : `: ${words.theirs('why', reason, 200)}`;
    return { ...found, sentence: `${of}${at}: ${WORDS[verdict]}${why}; ${usable}.` };
  }
  const key = `${AT}/answer/needed`;
  words.evidence(
    `${key}/bytes`,
    'bytes',
    measuredBytes === null ? 'needed, as expected' : 'needed, as measured',
  );
  words.evidence(`${key}/lowBytes`, 'bytes', 'needed at least, in 95 of 100 cases');
  words.evidence(`${key}/highBytes`, 'bytes', 'needed at most, in 95 of 100 cases');
  if (beyond.length > 0) {
    words.against(
      `${AT}/answer/beyond`,
      null,
      'larger than anything that was measured: intervals are wider',
    );
  }
  const span = `${formatBytes(needed.bytes)} needed (${formatBytes(needed.lowBytes)} to ${formatBytes(needed.highBytes)})`;
  return { ...found, sentence: `${of}${at}: ${WORDS[verdict]}: ${span}, ${usable}.` };
}

/** This very size was run. */
const sure = (verdict: FitVerdict) =>
  verdict === 'yes' || verdict === 'no' ? 'certain' : CODES[verdict].certainty;
