import { area } from 'd3-shape';
import type { Scale } from './frame.ts';
import type { PathNode } from './scene.ts';

export interface StackedBand {
  readonly color: string;
  readonly bytes: Float64Array;
}

/** A corner of the outline: a place on paper, and the sample whose values it has. */
interface Corner {
  readonly at: number;
  readonly row: number;
}

/**
 * Bands upon each other, from the ground up. Each column of pixels shows the sample in it at which
 * their sum was highest, as wide as the column: however short a peak was, it is a pixel of full colour.
 * `steps`: values hold until the next; else they change evenly between samples.
 */
export function stackedAreas(
  xs: Float64Array,
  bands: readonly StackedBand[],
  x: Scale,
  y: Scale,
  steps: boolean,
): PathNode[] {
  const tops: Float64Array[] = [];
  for (const { bytes } of bands) {
    const below = tops.at(-1);
    tops.push(below ? bytes.map((value, i) => value + below[i]!) : bytes);
  }
  const total = tops.at(-1);
  if (!total) return [];
  const outline = (steps ? steppedOutline : evenOutline)(xs, total, x);
  return bands.map(({ color }, band): PathNode => {
    const shape = area<Corner>(
      ({ at }) => at,
      ({ row }) => y(tops[band - 1]?.[row] ?? 0),
      ({ row }) => y(tops[band]![row]!),
    )
      .defined(({ row }) => row >= 0)
      .digits(1);
    return { node: 'path', d: shape(outline) ?? '', fill: color };
  });
}

/** Nothing was measured. */
const BREAK = -1;

/** Runs of samples that share a column of pixels: [from, to) with the highest of them; breaks apart. */
function* columnsOf(xs: Float64Array, total: Float64Array, x: Scale) {
  for (let row = 0; row < xs.length; ) {
    const from = row;
    if (Number.isNaN(total[row]!)) {
      row++;
      yield { column: Math.floor(x(xs[from]!)), from, to: row, highest: BREAK };
      continue;
    }
    const column = Math.floor(x(xs[row]!));
    let highest = row;
    for (row++; row < xs.length && !Number.isNaN(total[row]!); row++) {
      if (Math.floor(x(xs[row]!)) !== column) break;
      if (total[row]! > total[highest]!) highest = row;
    }
    yield { column, from, to: row, highest };
  }
}

function steppedOutline(xs: Float64Array, total: Float64Array, x: Scale): Corner[] {
  const corners: Corner[] = [];
  let held = BREAK;
  const put = (from: number, to: number, row: number) => {
    if (to > from) corners.push({ at: from, row }, { at: to, row });
  };
  let edge = 0;
  for (const { column, to, highest } of columnsOf(xs, total, x)) {
    if (held !== BREAK) put(edge, column, held);
    if (highest === BREAK) {
      corners.push({ at: column, row: BREAK });
      held = BREAK;
      continue;
    }
    // What holds until this column's first change is part of it as well.
    const most = held !== BREAK && total[held]! > total[highest]! ? held : highest;
    put(column, column + 1, most);
    [held, edge] = [to - 1, column + 1];
  }
  return corners;
}

function evenOutline(xs: Float64Array, total: Float64Array, x: Scale): Corner[] {
  const corners: Corner[] = [];
  for (const { column, from, to, highest } of columnsOf(xs, total, x)) {
    if (highest === BREAK) {
      corners.push({ at: column, row: BREAK });
      continue;
    }
    const isTop = !(total[from - 1]! > total[highest]!) && !(total[to]! > total[highest]!);
    if (to - from > 1 || isTop) {
      corners.push({ at: column, row: highest }, { at: column + 1, row: highest });
    } else corners.push({ at: x(xs[highest]!), row: highest });
  }
  return corners;
}
