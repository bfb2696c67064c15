import { isModel, type ModelLike } from './model.ts';

export interface ProfilerOptions {
  /** Iterations between tables and CSV rows (default 1). */
  readonly printPeriod?: number;
  /** Also write ./memory_csv_data/<timestamp>.csv (default false). */
  readonly csv?: boolean;
  /** The optimizer, where the model was not compiled with it: names what it keeps by parameter. */
  readonly optimizer?: object | null;
  /** Where tables go (default: stdout). */
  readonly print?: (text: string) => void;
}

const KNOWN: ReadonlySet<string> = new Set(['printPeriod', 'csv', 'optimizer', 'print']);

/** Refuses what cannot work before the training starts, rather than in its middle. */
export function checkArguments(
  model: unknown,
  options: ProfilerOptions,
): asserts model is ModelLike {
  if (!isModel(model)) {
    throw new TypeError(
      'MemoryProfiler needs a TensorFlow.js LayersModel: new MemoryProfiler(model)',
    );
  }
  if (typeof options !== 'object' || options === null) {
    throw new TypeError(
      'the options of MemoryProfiler are an object: { printPeriod: 5, csv: true }',
    );
  }
  const unknown = Object.keys(options).find((name) => !KNOWN.has(name));
  if (unknown !== undefined) {
    throw new TypeError(
      `MemoryProfiler has no option '${unknown}'; it has ${[...KNOWN].join(', ')}`,
    );
  }
  const { printPeriod = 1, csv = false, optimizer, print } = options;
  if (!Number.isSafeInteger(printPeriod) || printPeriod < 1) {
    throw new RangeError(
      `printPeriod is a whole number of at least 1, not ${JSON.stringify(printPeriod) ?? String(printPeriod)}`,
    );
  }
  if (typeof csv !== 'boolean') throw new TypeError('csv is true or false');
  if (optimizer != null && typeof optimizer !== 'object') {
    throw new TypeError('optimizer is an optimizer, as tf.train.adam(0.001)');
  }
  if (print !== undefined && typeof print !== 'function') {
    throw new TypeError('print is a function that takes text');
  }
}
