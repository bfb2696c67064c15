import { lossIn, type Sighting } from './mark.ts';

/**
 * Counters that a program prints: `Iteration 100, loss = 0.5`, `step 85/1000`, `[Epoch 1][Iter 20]`.
 * Each word is looked for where a message begins or after a separator, never in the middle of a
 * sentence. "Iteration" and "iter" are trusted there; "step" and "batch" are also what builds,
 * recipes and mail queues count, so what follows their number must be nothing or figures.
 */

/** What may stand between a word and its number: `Step: 85`, `Iter [20/938]`, `step = 100`. */
const LINK = String.raw`(?:\((?:train|training)\))?(?:\s?[:=#]\s{0,8}|\s{1,8}#?|(?=\[))\[?\s{0,8}`;
const NUMBER = String.raw`(\d{1,12})(?![\d.]*\d|[\w%])`;
const OF = String.raw`(?:\s{0,2}(?:\/|of)\s{0,8}(\d{1,12})(?![\w.]))?`;
const BEFORE = String.raw`(?<=^\s{0,8}|[\])}|,;:>*=#~-]\s{0,8}|[[(]|\t|\s{2}|\b(?:train|training|global)[\s_-]|:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?\s|\b(?:INFO|DEBUG)\s)`;

const ITERATION = new RegExp(`${BEFORE}iter(?:ation)?${LINK}${NUMBER}${OF}`, 'iy');
const STEP = new RegExp(`${BEFORE}(?:step|batch|episode)${LINK}${NUMBER}${OF}`, 'iy');
const EPOCH = new RegExp(`${BEFORE}epoch${LINK}${NUMBER}${OF}`, 'iy');
/** `Epoch: [0][ 10/5005]` and `Epoch(train) [1][ 50/938]`: the second bracket counts iterations. */
const EPOCH_BRACKETS =
  /epoch(?:\(train\))?:?\s{0,8}\[\s{0,8}(\d{1,7})(?:\/\d{1,7})?\]\s?\[\s{0,8}(\d{1,12})\/(\d{1,12})\]/iy;
/** `[1,  2000] loss: 2.173`, as tutorials print it. */
const PAIR_LOSS = /^\s{0,8}\[(\d{1,7}),\s{1,8}(\d{1,12})\]\s{1,8}loss/i;

/** `[12/450] loss: 0.26`, `12/450, loss 0.26`: so many of so many, and what a training tells of each. */
const PART_LOSS =
  /^\s{0,8}(?:\[\s{0,8}(\d{1,12})\s?\/\s?(\d{1,12})\]|(\d{1,12})\/(\d{1,12}))[\s:,|-]{1,4}(?:\w{1,20}[_ ])?loss\b/i;

const METRIC =
  /\b(?:\w{0,20}loss|lr|learning.rate|acc|accuracy|ppl|perplexity|grad\w{0,8}|norm|reward|epoch|eta|mfu|dt|time|elapsed|throughput|tokens?|samples?|skipped|(?:it|steps?|tokens?|samples?|batch(?:es)?|examples?|img|images?)\/s(?:ec)?|s\/(?:it|step)|ms|sec)\b/i;
/** What a counter's line may go on with when it names no figure that is known. */
const ONLY_FIGURES = /^[\s\])}.,;|]{0,8}$|^[\s\]):,;|-]{1,8}[A-Za-z_]\w{0,30}\s?=\s?[-+]?[\d.]/;

/**
 * Behind `step 12/150` any figure with a name: `latency 0.12`, `mean: 3`. Words go on after a plain number
 * (`Step 2/7: copying 12 files`), and Docker's stand behind a colon by itself (`Step 2/5 : EXPOSE 8080`).
 */
const NAMED_FIGURE =
  /^[\])]?(?::|\s?[,;|-])?\s{1,8}[A-Za-z_][\w./%-]{0,30}(?:\s?[:=]\s{0,4}[-+]?\.?\d|\s{1,4}[-+]?(?:\d{0,20}\.\d|\d{1,20}(?=$|[,;|)\]]|\s{1,4}[A-Za-z_][\w./%-]{0,30}\s?[:=]?\s{0,4}[-+]?\.?\d)))/;

const MAX_EPOCH = 1e7;

export function counters(line: string): Sighting | null {
  const low = line.toLowerCase();
  return brackets(line, low) ?? pair(line) ?? part(line) ?? words(line, low);
}

/** The pattern at the first place of a word where it fits; looks nowhere else, which is fast. */
function at(line: string, low: string, word: string, pattern: RegExp): RegExpExecArray | null {
  // The Turkish capital i grows when it is lowered, which would shift what follows.
  if (low.length !== line.length) return null;
  for (let place = low.indexOf(word); place >= 0; place = low.indexOf(word, place + 1)) {
    pattern.lastIndex = place;
    const match = pattern.exec(line);
    if (match) return match;
  }
  return null;
}

function brackets(line: string, low: string): Sighting | null {
  const m = at(line, low, 'epoch', EPOCH_BRACKETS);
  if (!m || Number(m[2]) > Number(m[3])) return null;
  const total = Number(m[3]);
  return {
    counter: 'brackets',
    epoch: Number(m[1]),
    iteration: Number(m[2]),
    total,
    ...loss(line),
  };
}

function pair(line: string): Sighting | null {
  const m = PAIR_LOSS.exec(line);
  if (!m) return null;
  return { counter: 'pair', epoch: Number(m[1]), iteration: Number(m[2]), ...loss(line) };
}

function part(line: string): Sighting | null {
  const m = PART_LOSS.exec(line);
  if (!m) return null;
  const [iteration, total] = [Number(m[1] ?? m[3]), Number(m[2] ?? m[4])];
  return iteration > total ? null : { counter: 'part', iteration, total, ...loss(line) };
}

function words(line: string, low: string): Sighting | null {
  const epoch = epochIn(line, low);
  const iteration = trusted(line, low) ?? doubtful(line, low, epoch !== null);
  if (!iteration) return epoch === null ? null : { counter: 'epoch', epoch, ...loss(line) };
  return epoch === null ? iteration : { ...iteration, epoch };
}

function epochIn(line: string, low: string): number | null {
  const m = at(line, low, 'epoch', EPOCH);
  if (!m || Number(m[1]) > MAX_EPOCH) return null;
  // A package's epoch, in the lists of rpm and dnf, stands in a column: `Epoch       : 1`.
  return /epoch\s{2,}:/i.test(m[0]) ? null : Number(m[1]);
}

function trusted(line: string, low: string): Sighting | null {
  const m = at(line, low, 'iter', ITERATION);
  if (!m) return null;
  const iteration = Number(m[1]);
  const total = m[2] === undefined ? undefined : Number(m[2]);
  if (total !== undefined && iteration > total) return null;
  const rest = line.slice(m.index + m[0].length);
  // Caffe announces a test at an iteration, whose own line comes later.
  if (/^[,:]?\s{0,4}(?:Testing|Snapshotting)\b/i.test(rest)) {
    return {
      counter: 'iteration',
      iteration,
      phase: rest.replace(/^[,:\s]{1,8}/, '').slice(0, 80),
    };
  }
  return { counter: 'iteration', iteration, total, ...loss(rest) };
}

function doubtful(line: string, low: string, withEpoch: boolean): Sighting | null {
  const step = at(line, low, 'step', STEP);
  const m = step ?? at(line, low, 'batch', STEP) ?? at(line, low, 'episode', STEP);
  if (!m) return null;
  const iteration = Number(m[1]);
  const total = m[2] === undefined ? undefined : Number(m[2]);
  if (total !== undefined && iteration > total) return null;
  const rest = line.slice(m.index + m[0].length).trimEnd();
  const others = withEpoch || METRIC.test(rest) || METRIC.test(line.slice(0, m.index));
  const counted = total !== undefined && NAMED_FIGURE.test(rest);
  const figures = others ? !isProse(rest) : counted || ONLY_FIGURES.test(rest);
  // A bare `batch 3` is any queue's; a bare `step 85` a training's, often enough.
  if (!figures || (!others && !step && total === undefined)) return null;
  return { counter: step ? 'step' : 'batch', iteration, total, ...loss(line) };
}

/** `Step 1/12 : FROM ubuntu`, `step 3: install the samples`: words follow, and no figure does. */
const isProse = (rest: string) =>
  /^[\s\])]{0,4}[:.-]?\s{0,4}[A-Za-z]/.test(rest) &&
  !/[A-Za-z)\]]["']?\s{0,4}[:= ]\s{0,4}[-+[]?\.?\d/.test(rest);

function loss(text: string): { value?: number } {
  const value = lossIn(text);
  return value === undefined ? {} : { value };
}
