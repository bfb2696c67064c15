import type { Sighting } from './mark.ts';
import { type LineStamp, parseStamp } from './stamp.ts';

/** Lines that are an object: Hugging Face's Python dict, or JSON. */
export interface RecordSighting {
  readonly sighting: Sighting | null;
  /** A fraction where a trainer counts epochs as 0.12. */
  readonly epoch?: number;
  readonly value?: number;
  readonly stamp?: LineStamp;
}

const STEP_KEYS = ['global_step', 'iteration', 'iter', 'train_step', 'step', '_step'] as const;
const LOSS_KEYS = ['loss', 'train_loss', 'train/loss', 'training_loss', 'lm_loss'] as const;
const TIME_KEYS = ['timestamp', 'time', 'ts', 'asctime', '@timestamp', '_timestamp'] as const;
/** A bare "step" is anybody's; beside one of these it is a training's. */
const TRAINING_KEY = /loss|^lr$|learning_rate|accuracy|grad_norm|^epoch$|perplexity|tokens_per_sec/;
/** These name nothing else. */
const TRUSTED_KEYS: ReadonlySet<string> = new Set(['global_step', 'train_step', 'iteration']);

export function records(line: string): RecordSighting | null {
  const text = line.trim();
  if (!text.startsWith('{') || !text.endsWith('}')) return null;
  const values = text.startsWith('{"') ? fromJson(text) : fromDict(text);
  return values && fromValues(values);
}

function fromJson(text: string): Map<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? new Map(Object.entries(value)) : null;
  } catch {
    return null;
  }
}

/** `{'loss': 0.5, 'learning_rate': 4.9e-05, 'epoch': 0.12}`; newer versions quote the numbers too. */
function fromDict(text: string): Map<string, unknown> | null {
  const values = new Map<string, unknown>();
  const pair =
    /'([\w/.-]{1,60})':\s{0,4}'?([-+]?(?:\d[\d.]{0,30}(?:e[-+]?\d{1,3})?|nan|inf))'?\s{0,4}[,}]/g;
  for (const m of text.matchAll(pair)) values.set(m[1]!, Number(m[2]));
  return values.size > 0 ? values : null;
}

function fromValues(values: ReadonlyMap<string, unknown>): RecordSighting | null {
  const numberAt = (keys: readonly string[]) => {
    const key = keys.find((k) => Number.isFinite(values.get(k)));
    return key === undefined ? undefined : { key, value: values.get(key) as number };
  };
  if (![...values.keys()].some((key) => TRAINING_KEY.test(key) || TRUSTED_KEYS.has(key))) {
    return null;
  }
  const step = numberAt(STEP_KEYS);
  const epoch = numberAt(['epoch'])?.value;
  const value = numberAt(LOSS_KEYS)?.value;
  const stamp = stampIn(values);
  const whole = step && Number.isInteger(step.value) && step.value >= 0;
  if (!whole && epoch === undefined) return null;
  const epochNumber = epoch !== undefined && epoch >= 0 && epoch < 1e7 ? epoch : undefined;
  const sighting: Sighting | null = whole
    ? { counter: `key ${step.key}`, iteration: step.value, epoch: wholePart(epochNumber), value }
    : null;
  return { sighting, epoch: epochNumber, value, stamp };
}

const wholePart = (epoch: number | undefined) =>
  epoch === undefined ? undefined : Math.floor(epoch);

function stampIn(values: ReadonlyMap<string, unknown>): LineStamp | undefined {
  for (const key of TIME_KEYS) {
    const value = values.get(key);
    if (typeof value !== 'string' && typeof value !== 'number') continue;
    const stamp = parseStamp(value);
    if (stamp) return stamp;
  }
  return undefined;
}
