import {
  flag,
  isObject,
  type JsonCheck,
  listOf,
  number,
  oneOf,
  orNull,
  shape,
  text,
} from '../../base/checks.ts';
import { FormatError } from '../../base/errors.ts';
import { isAskedFor } from '../run-check.ts';
import {
  MEASURES,
  MOST_JOB_RANKS,
  MOST_WINDOWS,
  RANK_ENDS,
  type RecordingSummary,
  SUMMARY_VERSION,
  type SummaryDetails,
} from './summary.ts';

const amount: JsonCheck = (value) => number(value) && (value as number) >= 0;
const whole: JsonCheck = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const rank: JsonCheck = (value) => whole(value) && (value as number) < MOST_JOB_RANKS;
/** What a date can be. */
const moment: JsonCheck = (value) => number(value) && Math.abs(value as number) <= 8.64e15;
const brief: JsonCheck = (value) => text(value) && (value as string).length <= 4000;
const atMost =
  (most: number, check: JsonCheck): JsonCheck =>
  (value) =>
    Array.isArray(value) && value.length <= most && listOf(check)(value);

const peak = shape({ series: brief, bytes: amount, seconds: number, iteration: orNull(number) });
const envelope = shape({
  measure: oneOf(...MEASURES),
  limitBytes: orNull(amount),
  startMs: moment,
  windowMs: (value) => amount(value) && (value as number) > 0,
  maxima: (value) => text(value) && (value as string).length <= (MOST_WINDOWS * 8 * 4) / 3 + 4,
});
const ended = shape({
  how: oneOf(...RANK_ENDS),
  atMs: orNull(moment),
  code: orNull(number),
  signal: orNull(brief),
  outOfMemory: orNull(flag),
});
const oneRank = shape({
  rank: orNull(rank),
  localRank: orNull(whole),
  processes: whole,
  memory: orNull(
    shape({
      measure: oneOf('pss', 'rss'),
      bytes: amount,
      seconds: number,
      iteration: orNull(number),
    }),
  ),
  torchBytes: orNull(amount),
  card: orNull(
    shape({
      gpu: whole,
      name: brief,
      bytes: amount,
      memoryBytes: orNull(amount),
      seconds: number,
      iteration: orNull(number),
    }),
  ),
  ended,
  iterations: orNull(shape({ count: whole, medianSeconds: orNull(amount) })),
});

const details = shape({
  peaks: atMost(64, peak),
  ranks: atMost(
    1024,
    shape({
      held: atMost(64, shape({ what: brief, bytes: amount })),
      envelopes: atMost(MEASURES.length, envelope),
    }),
  ),
});

const FIELDS: { readonly [K in keyof RecordingSummary]: JsonCheck } = {
  type: oneOf('recording-summary'),
  version: oneOf(SUMMARY_VERSION),
  id: brief,
  name: brief,
  command: brief,
  node: brief,
  launcher: orNull(brief),
  job: orNull(brief),
  worldSize: orNull(rank),
  restart: whole,
  startedMs: moment,
  durationSeconds: amount,
  complete: flag,
  stopped: orNull(brief),
  verdict: shape({ code: brief, certainty: brief, sentence: brief }),
  headline: orNull(peak),
  leak: shape({
    verdict: oneOf('leak', 'plateau', 'bounded', 'inconclusive'),
    perIterationBytes: orNull(number),
    perHourBytes: orNull(number),
    atMostPerIterationBytes: orNull(number),
    atMostPerHourBytes: orNull(number),
  }),
  asked: orNull(isAskedFor),
  limitBytes: orNull(amount),
  machineBytes: orNull(amount),
  cards: shape({ seen: whole, used: whole }),
  ranks: atMost(1024, oneRank),
  ranksLeftOut: whole,
};
const CHECKS = Object.entries(FIELDS);

/** The first line of a summary that anybody may have written; throws FormatError with what is wrong. */
export function parseSummary(line: string): RecordingSummary {
  const value = parsed(line);
  if (!isObject(value) || value.type !== 'recording-summary') {
    throw new FormatError('it is no summary of a recording');
  }
  if (value.version !== SUMMARY_VERSION) {
    const newer = typeof value.version === 'number' && value.version > SUMMARY_VERSION;
    throw new FormatError(
      newer ? `its version ${value.version} is newer than this Highwater` : 'it has no version',
    );
  }
  const wrong = CHECKS.find(([key, check]) => !check(value[key]));
  if (wrong) throw new FormatError(`its ${wrong[0]} is not what it should be`);
  return value as unknown as RecordingSummary;
}

/** The second line. */
export function parseDetails(line: string): SummaryDetails {
  const value = parsed(line);
  if (!details(value)) throw new FormatError('its details are not what they should be');
  return value as SummaryDetails;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw new FormatError('it is not JSON', { cause });
  }
}
