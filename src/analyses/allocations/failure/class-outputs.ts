import type { Recording } from '../../../model/recording.ts';
import { lookAtFailure } from './holders.ts';

/** Results that have a number for each class, or word: what a loss by any library reads. */
export interface ClassOutputs {
  readonly classes: number;
  readonly bytes: number;
  /** Of the largest of them alone. */
  readonly largestBytes: number;
}

/** What is made of such a result has its size, in another precision or without its last word. */
const TIMES = [1, 0.5, 2];
const ALIKE = 0.1;

/** Whether a block of this size would be one more of them: whole rows of classes, and about as many. */
export const isLikeOutputs = ({ classes, largestBytes }: ClassOutputs, bytes: number): boolean =>
  bytes % (2 * classes) === 0 &&
  TIMES.some((times) => Math.abs(bytes / (times * largestBytes) - 1) < ALIKE);

/** A table of classes has far more rows than a row has numbers; a layer within a model at most some times as many. */
const CLASSES_PER_WIDTH = 8;

/** Those whose last dimension is that of the longest table of parameters; null: there are none, or nobody looked. */
export function classOutputs(recording: Recording, device: number): ClassOutputs | null {
  const { rows, text } = lookAtFailure(recording, device);
  const sizes = recording.table('tensors').f64('bytes');
  const dimensions = (row: number) =>
    Array.from(text('shape', row).matchAll(/\d+/g), ([digits]) => Number(digits));
  const shapes = rows.filter((row) => text('what', row) === 'parameter').map(dimensions);
  // What a layer reads is no classes: no table is as wide.
  const widths = new Set(shapes.filter(({ length }) => length > 1).map((shape) => shape.at(-1)!));
  const classes = shapes
    .filter((shape) => shape.length === 2 && shape[0]! >= CLASSES_PER_WIDTH * shape[1]!)
    .map(([length]) => length!)
    .filter((length) => !widths.has(length))
    .reduce((most, length) => Math.max(most, length), 0);
  const counts = recording.table('tensors').f64('count');
  const outputs = rows.filter(
    (row) => text('what', row).endsWith('Backward0') && dimensions(row).at(-1) === classes,
  );
  const bytes = outputs.reduce((sum, row) => sum + sizes[row]!, 0);
  const largestBytes = Math.max(...outputs.map((row) => sizes[row]! / counts[row]!));
  return bytes > 0 ? { classes, bytes, largestBytes } : null;
}
