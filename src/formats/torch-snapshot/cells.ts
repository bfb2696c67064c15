import { EMPTY_STACK, NO_ID } from '../../model/allocations/actions.ts';
import { type Fields, TAG } from '../pickle/values.ts';

/** Values of a snapshot's dicts as columns hold them. */

/** A number that is finite; `missing` for anything else. */
export function numberAt(fields: Fields, key: number, missing = 0): number {
  const tag = fields.tags[key]!;
  if (tag === TAG.int || tag === TAG.bool) return (fields.high[key]! | 0) * HALF + fields.low[key]!;
  if (tag === TAG.wide) return fields.high[key]! * HALF + fields.low[key]!;
  const float = fields.floats[key]!;
  return tag === TAG.float && Number.isFinite(float) ? float : missing;
}

const HALF = 2 ** 32;

/** A list of frames, by the number of the shape that frames have. */
export function stackAt({ tags, low }: Fields, key: number, frames: number): number {
  if (tags[key] === TAG.listOf + frames) return low[key]!;
  return tags[key] === TAG.list ? EMPTY_STACK : NO_ID;
}

/** A list of records of a shape; NaN for anything else. */
export function listAt({ tags, low }: Fields, key: number, shape: number): number {
  return tags[key] === TAG.listOf + shape ? low[key]! : Number.NaN;
}
