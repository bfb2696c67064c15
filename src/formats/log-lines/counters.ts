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
const BEFORE = String.raw`(?:^\s{0,8}|[\])}|,;:>*=#~-]\s{0,8}|[[(]|\t|\s{2}|\b(?:train|training|global)[\s_-])`;

const ITERATION = new RegExp(`${BEFORE}iter(?:ation)?${LINK}${NUMBER}${OF}`, 'i');
const STEP = new RegExp(`${BEFORE}(?:global_?)?(step|batch)${LINK}${NUMBER}${OF}`, 'i');
const EPOCH = new RegExp(`${BEFORE}epoch${LINK}${NUMBER}${OF}`, 'i');
/** `Epoch: [0][ 10/5005]` and `Epoch(train) [1][ 50/938]`: the second bracket counts iterations. */
const EPOCH_BRACKETS =
  /epoch(?:\(train\))?:?\s{0,8}\[\s{0,8}(\d{1,7})(?:\/\d{1,7})?\]\s?\[\s{0,8}(\d{1,12})\/(\d{1,12})\]/i;
/** `[1,  2000] loss: 2.173`, as tutorials print it. */
const PAIR_LOSS = /^\s{0,8}\[(\d{1,7}),\s{1,8}(\d{1,12})\]\s{1,8}loss/i;

const METRIC =
  /\b(?:\w{0,20}loss|lr|learning.rate|acc|accuracy|ppl|perplexity|grad\w{0,8}|norm|reward|epoch|eta|mfu|dt|time|elapsed|throughput|tokens?|samples?|skipped|(?:it|steps?|tokens?|samples?|batch(?:es)?|examples?|img|images?)\/s(?:ec)?|s\/(?:it|step)|ms|sec)\b/i;
/** What a counter's line may go on with when it names no figure that is known. */
const ONLY_FIGURES = /^[\s\])}.,;|]{0,8}$|^[\s\]):,;|-]{1,8}[A-Za-z_]\w{0,30}\s?=\s?[-+]?[\d.]/;

const MAX_EPOCH = 1e7;

export function counters(line: string): Sighting | null {
  return brackets(line) ?? pair(line) ?? words(line);
}

function brackets(line: string): Sighting | null {
  const m = EPOCH_BRACKETS.exec(line);
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

function words(line: string): Sighting | null {
  const epoch = epochIn(line);
  const iteration = trusted(line) ?? doubtful(line, epoch !== null);
  if (!iteration) return epoch === null ? null : { counter: 'epoch', epoch, ...loss(line) };
  return epoch === null ? iteration : { ...iteration, epoch };
}

function epochIn(line: string): number | null {
  const m = EPOCH.exec(line);
  if (!m || Number(m[1]) > MAX_EPOCH) return null;
  // A package's epoch, in the lists of rpm and dnf, stands in a column: `Epoch       : 1`.
  return /epoch\s{2,}:/i.test(m[0]) ? null : Number(m[1]);
}

function trusted(line: string): Sighting | null {
  const m = ITERATION.exec(line);
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

function doubtful(line: string, withEpoch: boolean): Sighting | null {
  const m = STEP.exec(line);
  if (!m) return null;
  const iteration = Number(m[2]);
  const total = m[3] === undefined ? undefined : Number(m[3]);
  if (total !== undefined && iteration > total) return null;
  const rest = line.slice(m.index + m[0].length);
  const others = withEpoch || METRIC.test(rest) || METRIC.test(line.slice(0, m.index));
  const figures = others ? !isProse(rest) : ONLY_FIGURES.test(rest);
  // A bare `batch 3` is any queue's; a bare `step 85` a training's, often enough.
  if (!figures || (!others && m[1]!.toLowerCase() === 'batch' && total === undefined)) return null;
  return { counter: m[1]!.toLowerCase(), iteration, total, ...loss(line) };
}

/** `Step 1/12 : FROM ubuntu`, `step 3: install the samples`: words follow, and no figure does. */
const isProse = (rest: string) =>
  /^[\s\])]{0,4}[:.-]?\s{0,4}[A-Za-z]/.test(rest) &&
  !/[A-Za-z)\]]["']?\s{0,4}[:= ]\s{0,4}[-+[]?\.?\d/.test(rest);

function loss(text: string): { value?: number } {
  const value = lossIn(text);
  return value === undefined ? {} : { value };
}
