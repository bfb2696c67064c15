import { FormatError } from '../../base/errors.ts';
import { isRef, type Shape, type Value } from '../pickle/values.ts';

/** The number of a list of records of a shape; null for an empty or a missing one. */
export function listOf(shape: Shape, value: Value | undefined, wrong: string): number | null {
  if (isRef(value) && value.shape === shape && value.kind === 'list') return value.id;
  const empty =
    value === undefined || value === null || (Array.isArray(value) && value.length === 0);
  if (!empty) throw new FormatError(wrong);
  return null;
}
