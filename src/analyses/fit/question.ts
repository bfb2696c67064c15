import { UserError } from '../../base/errors.ts';

/** One run: its parameters as given, and each figure that it left, in bytes. */
export interface FitRun {
  readonly params: Readonly<Record<string, string>>;
  readonly figures: Readonly<Record<string, number>>;
  /** It ended for lack of memory: it needed more than its figures say. */
  readonly outOfMemory: boolean;
}

/** Which figure is which. */
export interface FitMeasures {
  /** What a run holds, free or not: compared with the limit. */
  readonly held: string;
  /** What of that is in use, where a cache is known apart; else null. */
  readonly live: string | null;
  /** All other figures that are worth a prediction: the whole device, categories, phases. */
  readonly others: readonly string[];
  /** Figures each of which contains the one before, where they are more than `live` and `held`. */
  readonly chain?: readonly string[];
  /** `held` has the cache of an allocator in it, which comes in large steps. */
  readonly cached?: boolean;
  /** Figures that are part of `held`: what a phase or a category needs of it. */
  readonly parts?: readonly string[];
}

/** What on the device is not the run's. */
export interface InUse {
  readonly bytes: number;
  /** What it is, in a few words. */
  readonly what: string;
}

/** What is asked of runs of several sizes. */
export interface FitRequest {
  /** The size of the device or machine. */
  readonly limitBytes: number;
  /** A combination of parameters: whether it fits. */
  readonly at?: Readonly<Record<string, string>>;
  /** What others take there; absent: as measured. */
  readonly inUseBytes?: number;
}

export interface FitQuestion {
  /** The size of the device or machine. */
  readonly limitBytes: number;
  readonly inUse: InUse;
  /** The combination that is asked about; null: only for the largest that fits. */
  readonly at: Readonly<Record<string, string>> | null;
}

/** Parses `batch=48,size=512`. */
export function parseParams(text: string): Record<string, string> {
  const pairs = text.split(',').map((pair) => /^\s*([^=\s]+)\s*=\s*(.+?)\s*$/.exec(pair));
  if (pairs.some((pair) => pair === null)) {
    throw new UserError(`'${text}' is no combination`, { hint: 'write it as batch=48,size=512' });
  }
  return Object.fromEntries(pairs.map((pair) => [pair![1]!, pair![2]!]));
}
