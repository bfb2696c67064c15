import { area, line } from 'd3-shape';
import type { Point } from '../scene.ts';
import type { Run } from './downsample.ts';

const across = (point: Point) => point.x;
const up = (point: Point) => point.y;

/** SVG path data along runs of points; `digits` behind the point of each figure. */
export function linePath(runs: readonly Run[], digits = 2): string {
  const shape = line<Point>(across, up).digits(digits);
  return runs.map((run) => shape(run)).join('');
}

/** The same for what lies between runs and a level. */
export function areaPath(runs: readonly Run[], level: number, digits = 2): string {
  const shape = area<Point>(across, level, up).digits(digits);
  return runs.map((run) => shape(run)).join('');
}

/** Runs that a line can be drawn of, and lone samples: without a dot these would vanish. */
export function wideAndLone(runs: readonly Run[]): { wide: Run[]; lone: Point[] } {
  return {
    wide: runs.filter((run) => run.length > 1),
    lone: runs.filter((run) => run.length === 1).map(([point]) => point!),
  };
}
