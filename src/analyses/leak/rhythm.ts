import { median } from '../../base/stats.ts';
import { singleValues } from './bounded-values.ts';
import type { TrendValues } from './trend-evidence.ts';

type Points = Pick<TrendValues, 'x' | 'y'>;

/** What comes and goes with every turn, and the values without it. */
export interface Rhythm {
  /** Iterations or seconds of one turn. */
  readonly period: number;
  readonly rest: TrendValues;
}

/** Fewer turns may look alike by chance, and of a turn with fewer values nothing is known. */
const FEWEST_TURNS = 3.5;
const FEWEST_IN_TURN = 6;
/** Of very many values not each is looked at: what comes again so fast is gone in their blocks. */
const MOST_STEPS = 1000;
/** Each turn is foretold by the others so well: this share of the squares about a line. */
const FORETOLD = 0.9;
/** Lags at which the values are like themselves, the best of them; tried also a little longer and shorter. */
const MOST_LAGS = 5;
const LEAST_LIKENESS = 0.6;
const NEARBY = [0, -0.25, 0.25, -0.5, 0.5, -0.75, 0.75, -1, 1];
const FINER = [0.2, 0.04];
const AS_GOOD = 0.2;

/**
 * Programs have rhythms: an epoch with its validation, a day and its night. What comes again with every turn is
 * neither a trend nor noise, though it may be far larger than both. Each value is held against the same moment of all
 * other turns; what those do not foretell is left. null: there is no such rhythm.
 */
export function rhythmOf(values: TrendValues): Rhythm | null {
  const { x } = values;
  const length = x[x.length - 1]! - x[0]!;
  const usual = median(x.subarray(1).map((at, i) => at - x[i]!));
  const spacing = Math.max(usual, length / MOST_STEPS);
  if (!(spacing > 0) || !(length / spacing >= FEWEST_TURNS * FEWEST_IN_TURN)) return null;
  const even = evenlySpaced(values, spacing);
  let [period, share] = [Number.NaN, FORETOLD];
  const look = (near: number, allowed = 0) => {
    if (length / near < FEWEST_TURNS || near / spacing < FEWEST_IN_TURN) return;
    const foretold = withoutTurns(even, near, spacing).share;
    if (foretold > share - allowed) [period, share] = [near, foretold];
  };
  for (const lag of likeLags(even.y)) {
    for (const by of NEARBY) look((lag + by) * spacing);
  }
  if (Number.isNaN(period)) return null;
  // Over many turns a little too long or too short adds up, and would look like a trend.
  for (const finer of FINER) {
    const about = period;
    for (const by of NEARBY) look(about + finer * by * spacing);
  }
  // An epoch is a whole number of iterations.
  if (values.over === 'iterations') look(Math.round(period), AS_GOOD * (1 - share));
  const { rest } = withoutTurns(values, period, spacing);
  return { period, rest: { ...values, ...singleValues(values.x, rest) } };
}

/** In steps: where the values, off a line through them, are most like those so many steps before. */
function likeLags(y: Float64Array): number[] {
  const off = offLine(y);
  const most = Math.floor(y.length / FEWEST_TURNS) + 1;
  const squares = off.reduce((sum, value) => sum + value * value, 0);
  const likeness = Array.from({ length: most + 2 }, (_, lag) => {
    let sum = 0;
    for (let i = lag; i < y.length; i++) sum += off[i]! * off[i - lag]!;
    return (sum / squares) * (y.length / (y.length - lag));
  });
  const peaks: number[] = [];
  for (let lag = FEWEST_IN_TURN; lag <= most; lag++) {
    const [before, here, after] = [likeness[lag - 1]!, likeness[lag]!, likeness[lag + 1]!];
    if (here > LEAST_LIKENESS && here >= before && here >= after) peaks.push(lag);
  }
  return peaks.sort((a, b) => likeness[b]! - likeness[a]!).slice(0, MOST_LAGS);
}

/** Less a line by the levels of its two halves. */
function offLine(y: Float64Array): Float64Array {
  const count = y.length;
  const half = count >> 1;
  const mean = (from: number, to: number) =>
    y.subarray(from, to).reduce((sum, value) => sum + value, 0) / (to - from);
  const slope = (mean(count - half, count) - mean(0, half)) / (count - half);
  const middle = mean(0, count);
  return y.map((value, i) => value - middle - slope * (i - (count - 1) / 2));
}

function evenlySpaced({ x, y }: Points, spacing: number): Points {
  const count = Math.floor((x[x.length - 1]! - x[0]!) / spacing) + 1;
  const at = sampler(x, y);
  const even = Float64Array.from({ length: count }, (_, i) => x[0]! + i * spacing);
  return { x: even, y: even.map(at) };
}

interface Foretold {
  readonly rest: Float64Array;
  /** Of the squares about a line. */
  readonly share: number;
}

function withoutTurns({ x, y }: Points, period: number, spacing: number): Foretold {
  const [first, last] = [x[0]!, x[x.length - 1]!];
  const after = sampler(x, y);
  const gains: number[] = [];
  for (let i = 0; i < x.length && x[i]! + period <= last; i++) {
    gains.push(after(x[i]! + period) - y[i]!);
  }
  const slope = median(gains) / period;
  const flat = y.map((value, i) => value - slope * x[i]!);
  const level = median(flat);
  const few = (last - first) / period < FEW_TURNS;
  const off = few ? offOthers(x, flat, period) : offMean(x, flat, period, spacing);
  let [missed, all] = [0, 0];
  for (let i = 0; i < y.length; i++) {
    missed += off[i]! ** 2;
    all += (flat[i]! - level) ** 2;
  }
  const rest = off.map((value, i) => level + slope * x[i]! + value);
  return { rest, share: 1 - missed / all };
}

/** Of fewer turns, one that is unlike the others would show in the mean. */
const FEW_TURNS = 12;

/** How far each value is from the median of all other turns at its moment. */
function offOthers(x: Float64Array, flat: Float64Array, period: number): Float64Array {
  const [first, last] = [x[0]!, x[x.length - 1]!];
  const turns = Math.floor((last - first) / period);
  const others = Array.from(x, (): number[] => []);
  for (let away = -turns; away <= turns; away++) {
    if (away === 0) continue;
    const at = sampler(x, flat);
    for (let i = 0; i < x.length; i++) {
      const moment = x[i]! + away * period;
      if (moment >= first && moment <= last) others[i]!.push(at(moment));
    }
  }
  return flat.map((value, i) => value - median(others[i]!));
}

/** How far each is from the mean of all turns. That has this one in it: the others miss it by as much more. */
function offMean(x: Float64Array, flat: Float64Array, period: number, spacing: number) {
  const turn = oneTurn(x, flat, period, spacing);
  const turns = (x[x.length - 1]! - x[0]!) / period;
  return flat.map((value, i) => (value - turn(x[i]!)) * (turns / (turns - 1)));
}

/** The mean of all turns, at any moment. */
function oneTurn(x: Float64Array, flat: Float64Array, period: number, spacing: number) {
  const [first, last] = [x[0]!, x[x.length - 1]!];
  const steps = Math.max(1, Math.round(period / spacing));
  const sums = new Float64Array(steps + 1);
  const counts = new Float64Array(steps + 1);
  const at = sampler(x, flat);
  for (let begin = first; begin <= last; begin += period) {
    for (let step = 0; step < steps; step++) {
      const moment = begin + (step * period) / steps;
      if (moment > last) break;
      sums[step]! += at(moment);
      counts[step]!++;
    }
  }
  const means = sums.map((sum, step) => sum / counts[step]!);
  means[steps] = means[0]!;
  return (moment: number) => {
    const phase = (((moment - first) % period) / period) * steps;
    const step = Math.min(steps - 1, Math.floor(phase));
    return means[step]! + (phase - step) * (means[step + 1]! - means[step]!);
  };
}

/** Between two values, on the line from one to the other; moments are asked for in order. */
function sampler(x: Float64Array, y: Float64Array): (moment: number) => number {
  let row = 0;
  return (moment) => {
    while (row + 1 < x.length && x[row + 1]! <= moment) row++;
    if (row + 1 >= x.length) return y[row]!;
    const share = Math.max(0, (moment - x[row]!) / (x[row + 1]! - x[row]!));
    return y[row]! + share * (y[row + 1]! - y[row]!);
  };
}
