import { area, line } from 'd3-shape';
import type { Point } from './scene.ts';

/** A stretch of samples in pixels, without a gap. */
export type PixelLine = Point[];

/**
 * A series as polylines in pixels, cut where nothing was measured. Where there are more samples than the picture can show,
 * each column of a pixel keeps its first, lowest, highest and last sample, in their order: the
 * drawing is the same as that of all samples, and no peak is lost however short it was.
 */
export function downsample(
  xs: Float64Array,
  ys: Float64Array,
  x: (value: number) => number,
  y: (value: number) => number,
): PixelLine[] {
  const runs: PixelLine[] = [];
  let run: PixelLine = [];
  const close = () => {
    if (run.length > 0) runs.push(run);
    run = [];
  };
  const push = (row: number) => run.push({ x: x(xs[row]!), y: y(ys[row]!) });
  for (let row = 0; row < xs.length; ) {
    if (Number.isNaN(ys[row]!)) {
      close();
      row++;
      continue;
    }
    const column = Math.floor(x(xs[row]!));
    const first = row;
    let [low, high] = [row, row];
    for (row++; row < xs.length && !Number.isNaN(ys[row]!); row++) {
      if (Math.floor(x(xs[row]!)) !== column) break;
      if (ys[row]! < ys[low]!) low = row;
      if (ys[row]! > ys[high]!) high = row;
    }
    for (const kept of distinctSorted(first, low, high, row - 1)) push(kept);
  }
  close();
  return runs;
}

function distinctSorted(...rows: number[]): number[] {
  return [...new Set(rows)].sort((a, b) => a - b);
}

/** A scatter of many samples: one of those that would fall on the same half pixel. */
export function scatter(
  xs: Float64Array,
  ys: Float64Array,
  x: (value: number) => number,
  y: (value: number) => number,
): Point[] {
  const taken = new Set<number>();
  const points: Point[] = [];
  for (let row = 0; row < xs.length; row++) {
    if (Number.isNaN(ys[row]!)) continue;
    const point = { x: x(xs[row]!), y: y(ys[row]!) };
    const cell = Math.round(point.x * 2) * 65_536 + Math.round(point.y * 2);
    if (taken.has(cell)) continue;
    taken.add(cell);
    points.push(point);
  }
  return points;
}

/** Places of values to draw: of those that share half a pixel, the highest. */
export function highestEach(values: Float64Array, pixels: number): number[] {
  const each = Math.max(1, Math.ceil(values.length / (2 * pixels)));
  return Array.from({ length: Math.ceil(values.length / each) }, (_, group) => {
    let best = group * each;
    for (let i = best; i < Math.min((group + 1) * each, values.length); i++) {
      if (values[i]! > values[best]!) best = i;
    }
    return best;
  });
}

const xOf = (point: Point) => point.x;
const yOf = (point: Point) => point.y;

/** SVG path data along polylines; `digits` behind the point of each figure. */
export function linePath(runs: readonly PixelLine[], digits = 2): string {
  const shape = line<Point>(xOf, yOf).digits(digits);
  return runs.map((run) => shape(run)).join('');
}

/** The same for what lies between them and a level. */
export function areaPath(runs: readonly PixelLine[], level: number, digits = 2): string {
  const shape = area<Point>(xOf, level, yOf).digits(digits);
  return runs.map((run) => shape(run)).join('');
}

/** What a line can be drawn of, and lone samples: without a dot these would vanish. */
export function linesAndLonePoints(runs: readonly PixelLine[]): {
  wide: PixelLine[];
  lone: Point[];
} {
  return {
    wide: runs.filter((run) => run.length > 1),
    lone: runs.filter((run) => run.length === 1).map(([point]) => point!),
  };
}
