import { type Coordinate, toCoordinates } from './coordinates.ts';
import type { Sample } from './design-matrix.ts';

/** Between what a peak has to lie, whatever curve goes through the others. */
export interface Bounds {
  readonly lowBytes: number;
  readonly highBytes: number;
  /** Below all runs: a phase that does not shrink may be the largest there, of so much at most. */
  readonly flatBytes: number;
}

/** A measured peak repeats within this. */
export const REPEATABILITY = 0.01;

/**
 * More never needs less: what a smaller run needed is a lower bound, what a larger one needed an upper
 * one. Allocators round, so now and then a smaller run needs a little more than a larger one: such a run
 * bounds only as far as no larger one contradicts it, and upper bounds leave room for the worst of them.
 */
export function monotoneBounds(
  coordinates: readonly Coordinate[],
  samples: readonly Sample[],
  failed: readonly Sample[] = [],
  scatter = REPEATABILITY,
): (at: readonly number[]) => Bounds {
  const isWithin = (small: readonly number[], large: readonly number[]) =>
    coordinates.every(({ monotone }, i) =>
      monotone ? small[i]! <= large[i]! : small[i] === large[i],
    );
  const placed = (all: readonly Sample[]) =>
    all.map(({ at, bytes }) => ({ at: toCoordinates(coordinates, at), bytes }));
  const rows = placed(samples);
  const least = (from: readonly number[], start: number) =>
    rows.reduce((low, { at, bytes }) => (isWithin(from, at) ? Math.min(low, bytes) : low), start);
  const most = (to: readonly number[]) =>
    rows.reduce((high, { at, bytes }) => (isWithin(at, to) ? Math.max(high, bytes) : high), 0);
  const floors = rows.map(({ at, bytes }) => ({ at, bytes: least(at, bytes) }));
  const reached = placed(failed).map(({ at, bytes }) => ({ at, bytes: least(at, bytes) }));
  const caps = rows.map(({ at }) => ({ at, bytes: most(at) }));
  const room = rows.reduce(
    (worst, { bytes }, i) => (bytes > 0 ? Math.max(worst, caps[i]!.bytes / bytes - 1) : worst),
    scatter,
  );
  const smallest = Math.min(...rows.map(({ bytes }) => bytes)) * (1 + room);
  return (at) => {
    const here = toCoordinates(coordinates, at);
    const isHere = (there: readonly number[]) => there.every((value, i) => value === here[i]);
    const below = [...floors.filter((row) => !isHere(row.at)), ...reached]
      .filter((row) => isWithin(row.at, here))
      .map(({ bytes }) => bytes);
    const above = caps.filter((row) => isWithin(here, row.at)).map(({ bytes }) => bytes);
    return {
      lowBytes: Math.max(0, ...below),
      flatBytes: below.length === 0 ? smallest : 0,
      highBytes: Math.min(Number.POSITIVE_INFINITY, ...above) * (1 + room),
    };
  };
}
