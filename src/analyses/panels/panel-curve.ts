import { firstFrom } from '../../base/search.ts';
import { Pyramid } from '../../model/pyramid.ts';
import type { PanelWindow } from './panel.ts';

/** All samples of one quantity. */
export interface PanelCurve {
  /** Rising; null: the index itself, as with events. */
  readonly x: Float64Array | null;
  readonly y: Float64Array;
  readonly pyramid: Pyramid;
  /** Where y is NaN. */
  readonly breaks: Uint32Array;
}

export function panelCurve(x: Float64Array | null, y: Float64Array): PanelCurve {
  const breaks: number[] = [];
  for (let i = 0; i < y.length; i++) if (Number.isNaN(y[i]!)) breaks.push(i);
  return { x, y, pyramid: new Pyramid(y), breaks: Uint32Array.from(breaks) };
}

export const xAt = ({ x }: PanelCurve, index: number): number => (x ? x[index]! : index);

export const spanOf = (curve: PanelCurve): [number, number] | null =>
  curve.y.length === 0 ? null : [xAt(curve, 0), xAt(curve, curve.y.length - 1)];

/**
 * Which samples to draw: of each column the first, lowest, highest and last, so that the picture is
 * the same as with all of them. One more on either side leads out of the picture.
 */
export function picks(curve: PanelCurve, { low, high, columns }: PanelWindow): Picked {
  const { y, pyramid, breaks } = curve;
  const start = Math.max(0, indexFrom(curve, low) - 1);
  const end = Math.min(y.length, indexFrom(curve, high) + 2);
  const inside = end - start;
  if (inside <= 4 * columns) {
    return { rows: Uint32Array.from({ length: inside }, (_, i) => start + i), inside };
  }
  const rows: number[] = [];
  const wide = (high - low) / columns;
  for (let column = 0, from = start; from < end; column++) {
    const last = column >= columns;
    const to = last ? end : Math.min(end, indexFrom(curve, low + (column + 1) * wide));
    if (to > from) {
      const { lowest, highest } = pyramid.extremes(from, to);
      rows.push(from, lowest, highest, to - 1);
    }
    from = Math.max(from, to);
  }
  for (let i = firstFrom(breaks, start); i < breaks.length && breaks[i]! < end; i++) {
    rows.push(breaks[i]!);
  }
  return { rows: Uint32Array.from(new Set(rows)).sort(), inside };
}

export interface Picked {
  readonly rows: Uint32Array;
  /** How many there are to pick from. */
  readonly inside: number;
}

/** The first sample that is not before `value`. */
export function indexFrom({ x, y }: PanelCurve, value: number): number {
  if (x) return firstFrom(x, value);
  return Math.min(y.length, Math.max(0, Math.ceil(value)));
}

/** NaN where there is no such row. */
export const take = (values: ArrayLike<number>, rows: Uint32Array): Float64Array =>
  Float64Array.from(rows, (row) => values[row] ?? Number.NaN);

export const takeX = (curve: PanelCurve, rows: Uint32Array): Float64Array =>
  Float64Array.from(rows, (row) => xAt(curve, row));
