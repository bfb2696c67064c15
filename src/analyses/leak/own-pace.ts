import type { Iterations } from '../../model/iterations.ts';
import type { Recording } from '../../model/recording.ts';
import type { JudgedSeries } from './judged-series.ts';
import { roleFinder } from './roles.ts';
import { type TrendValues, trendEvidence } from './trend-evidence.ts';

/** A line over time leaves at most this share of what one over the iterations leaves unexplained. */
const TIME_SHARE = 0.5;
/** A line over the iterations that leaves less than this share of all squares explains the growth, whatever else does. */
const EXPLAINED = 0.01;

interface Valued {
  readonly judged: JudgedSeries;
  readonly values: TrendValues;
}

/**
 * Iterations show that a process works and no longer loads, but only of the process that takes them. A compiler's
 * workers import and compile beside it at a pace of their own: where they grow with time, also while no iteration
 * ends, their growth is nothing that an iteration leaves behind, and is judged over time. So is that of all
 * processes together where it is mostly theirs.
 */
export function atOwnPace(
  recording: Recording,
  iterations: Iterations,
  all: readonly Valued[],
): (one: Valued) => boolean {
  const stepping = rolesThatStep(recording);
  if (stepping.size === 0) return () => false;
  const apart = all.filter(({ judged: { role }, values }) => {
    return role !== null && !stepping.has(role) && goesWithTime(values, iterations);
  });
  const growth = ({ values }: Valued) => trendEvidence(values).growth;
  const theirs = (measure: JudgedSeries['measure']) =>
    apart
      .filter(({ judged }) => judged.measure === measure)
      .reduce((sum, one) => sum + Math.max(0, growth(one)), 0);
  return (one) => {
    const { role, measure } = one.judged;
    if (role !== null) return apart.includes(one);
    if (apart.length === 0 || one.values.over !== 'iterations') return false;
    const ofEach = measure === 'cgroup-held' ? 'tree-held' : measure;
    return theirs(ofEach) > growth(one) / 2;
  };
}

/** Roles of the processes that marked iterations or steps; empty where it is not known who did. */
function rolesThatStep(recording: Recording): Set<string> {
  const marks = recording.table('marks');
  const [kinds, pids, times] = [marks.u32('kind'), marks.f64('pid'), marks.f64('time')];
  const roleAt = roleFinder(recording);
  const found = new Set<string>();
  for (const [row, pid] of pids.entries()) {
    const kind = recording.text(kinds[row]!);
    if (Number.isNaN(pid) || (kind !== 'iteration' && kind !== 'step')) continue;
    found.add(roleAt(pid, times[row]!));
  }
  return found;
}

/** Where iterations come evenly, neither explains more, and they keep the say. */
function goesWithTime({ x, y, over }: TrendValues, { times, numbers }: Iterations): boolean {
  if (over !== 'iterations') return false;
  const timeOf = new Map<number, number>();
  for (const [i, number] of numbers.entries()) {
    if (!timeOf.has(number)) timeOf.set(number, times[i]!);
  }
  const at = x.map((number) => timeOf.get(number) ?? Number.NaN);
  const byIteration = unexplained(x, y);
  return byIteration > EXPLAINED && unexplained(at, y) < TIME_SHARE * byIteration;
}

/** The share of the squares about the mean that the best straight line leaves. */
function unexplained(x: Float64Array, y: Float64Array): number {
  const mean = (values: Float64Array) => values.reduce((sum, v) => sum + v, 0) / values.length;
  const [middleX, middleY] = [mean(x), mean(y)];
  let [xx, xy, yy] = [0, 0, 0];
  for (const [i, value] of y.entries()) {
    const [u, v] = [x[i]! - middleX, value - middleY];
    xx += u * u;
    xy += u * v;
    yy += v * v;
  }
  return 1 - (xy * xy) / (xx * yy);
}
