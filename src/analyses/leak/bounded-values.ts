/** Values with what all samples say that belong to each: those since the value before, or within the same stretch of time. */
export interface BoundedValues {
  /** Iterations or seconds, ascending. */
  readonly x: Float64Array;
  /** Bytes. */
  readonly y: Float64Array;
  /** The largest of those samples, and their mean. */
  readonly peaks: Float64Array;
  readonly means: Float64Array;
}

/** One sample is all that each value has. */
export const singleValues = (x: Float64Array, y: Float64Array): BoundedValues => {
  return { x, y, peaks: y, means: y };
};

/** Without the first so many. */
export function valuesFrom<T extends BoundedValues>(values: T, from: number): T {
  const [x, y, peaks, means] = [values.x, values.y, values.peaks, values.means].map((all) =>
    all.subarray(from),
  );
  return { ...values, x, y, peaks, means };
}
