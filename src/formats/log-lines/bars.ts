import { lossIn, type Sighting } from './mark.ts';

/**
 * Progress bars. Bars are drawn for downloads, data sets and checkpoints as well, so a bar counts
 * only if it counts whole iterations, and its label is empty or speaks of training.
 */

const TQDM =
  /(\d{1,3})%\|[^|]{0,200}\|\s{0,12}(\d{1,12})\/(\d{1,12}) \[(?:\d+:)?\d\d:\d\d<(?:\d+ days?, )?[\d:?]{1,12}, {0,4}[\d.?]{1,12}(?:(it|iter|iters|step|steps|batch|batches|ba)\/s|s\/(it|iter|step|batch|ba))/;
/** Without a known end: `45it [00:10, 4.5it/s]`. */
const TQDM_ENDLESS =
  /(?:^|: )(\d{1,12})(?:it|step|batch) \[(?:\d+:)?\d\d:\d\d, {0,4}[\d.?]{1,12}(?:(?:it|step|batch)\/s|s\/(?:it|step|batch))/;
const KERAS = /^\s{0,12}(\d{1,9})\/(\d{1,9}) (?:\[[=>.]{4,60}\]|[━╸╺ ]{4,60}) /;

/** Rich's bar, then its count: Lightning's RichProgressBar, or any with a column of that kind. */
const RICH = /(?:^|\s)[━╸╺]{2,300}[━╸╺ ]{0,300}\s{1,12}(\d{1,12})\/(\d{1,12}|--)(?=\s|$)/;

const TRAINING =
  /\b(?:train|training|fit|fitting|epochs?|steps?|iters?|iterations?|batch|batches|loss|optimi[sz]\w{1,8})\b/i;
const NOT_TRAINING =
  /\b(?:val|valid|validat\w{0,6}|eval\w{0,8}|test|testing|sanity|predict\w{0,4}|load\w{0,4}|download\w{0,4}|map|tokeni[sz]\w{1,4}|shards?|checkpoints?)\b/i;
const EPOCH_LABEL = /\bepochs?[ :#=[(]{0,4}(\d{1,7})(?:\/\d{1,7})?\b/i;
/** An outer bar over epochs counts those that are done. */
const EPOCHS_ONLY = /^\s{0,12}epochs?\s{0,4}:?\s{0,12}$/i;

export function tqdm(line: string): Sighting | null {
  const bar = line.includes('%|') ? TQDM.exec(line) : null;
  if (!bar) return endless(line);
  const iteration = Number(bar[2]);
  const total = Number(bar[3]);
  if (iteration > total) return null;
  const label = line.slice(0, bar.index);
  if (EPOCHS_ONLY.test(label)) return epochs(iteration, total);
  return inBar(label, line.slice(bar.index + bar[0].length), iteration, total);
}

function endless(line: string): Sighting | null {
  const bar = line.includes(' [') ? TQDM_ENDLESS.exec(line) : null;
  if (!bar) return null;
  return inBar(line.slice(0, bar.index), line.slice(bar.index + bar[0].length), Number(bar[1]));
}

function inBar(label: string, rest: string, iteration: number, total?: number): Sighting | null {
  const text = label.replace(/[\s:|]{1,12}$/, '').trimStart();
  if (text !== '' && (!TRAINING.test(text) || NOT_TRAINING.test(text))) return null;
  const epoch = EPOCH_LABEL.exec(text);
  return {
    counter: `bar ${text.replace(/[\d.\s]{1,40}/g, '')} ${total ?? ''}`,
    iteration,
    total,
    epoch: epoch ? Number(epoch[1]) : undefined,
    value: lossIn(rest) ?? lossIn(text),
  };
}

export function rich(line: string): Sighting | null {
  const bar = line.includes('━') ? RICH.exec(line) : null;
  if (!bar) return null;
  const iteration = Number(bar[1]);
  // Endless data counts up to `--`.
  const total = bar[2] === '--' ? undefined : Number(bar[2]);
  if (total !== undefined && iteration > total) return null;
  const label = line.slice(0, bar.index);
  if (EPOCHS_ONLY.test(label)) return epochs(iteration, total);
  return inBar(label, line.slice(bar.index + bar[0].length), iteration, total);
}

/** A bar over epochs tells how many are done, and so which one begins; when all are, none does. */
const epochs = (done: number, total: number | undefined): Sighting | null =>
  done === total ? null : { counter: 'epochs', epoch: done, total };

/** Keras 2 and 3. Its evaluation has the same bar, so it counts only after a line `Epoch 3/10`. */
export function keras(line: string): Sighting | null {
  const bar = KERAS.exec(line);
  if (!bar || !/loss|\/step/.test(line)) return null;
  const iteration = Number(bar[1]);
  const total = Number(bar[2]);
  if (iteration > total) return null;
  return { counter: `keras ${total}`, iteration, total, needsEpoch: true, value: lossIn(line) };
}
