import { median } from '../../base/stats.ts';
import { normalTail } from '../../base/student.ts';

/** As rarely as this do levels without a trend rise like that. */
const CHANCE = 0.01;
/** All pairs of more levels take long, and tell no more. */
const MOST_COMPARED = 500;

/** Levels by thirds, as a warm-up ends within the first. Medians: batches of different sizes make single steps stray. */
export interface Thirds {
  readonly levels: Float64Array;
  readonly third: number;
  readonly first: number;
  readonly middle: number;
  readonly last: number;
  /** What a step adds. */
  readonly each: number;
  readonly atMost: number;
}

export function thirdsOf(levels: Float64Array): Thirds {
  const third = Math.max(1, Math.floor(levels.length / 3));
  const parts = [
    levels.subarray(0, third),
    levels.subarray(third, levels.length - third),
    levels.subarray(levels.length - third),
  ] as const;
  const [first, middle, last] = [median(parts[0]), median(parts[1]), median(parts[2])];
  const each = (last - first) / (levels.length - third);
  return {
    levels,
    third,
    first,
    middle,
    last,
    each,
    atMost: atMostOf(levels.subarray(third), (2 * (last - middle)) / (levels.length - third)),
  };
}

/** The slope of the later two thirds, and the most by which what strays from it could hide more. */
function atMostOf(late: Float64Array, slope: number): number {
  const strays = late.map((level, i) => level - slope * i);
  return Math.max(0, slope + (highest(strays) - lowest(strays)) / (late.length - 1));
}

/**
 * A trace is exact: the same bytes more in every step to the last are growth, however small beside the rest.
 * Uneven steps have to rise more than they stray, and more surely than chance has it.
 */
export function goesOn({ levels, third, first, middle, last, each }: Thirds): boolean {
  const late = levels.subarray(third);
  if (late.length > 2 && late[1]! > late[0]! && isEven(late)) return true;
  const noise = median(Array.from(levels, (level, i) => Math.abs(level - first - each * i)));
  const [now, before] = [last - middle, middle - first];
  return now > noise && before > noise / 2 && now > before * 0.3 && risesByChance(levels) < CHANCE;
}

const isEven = (levels: Float64Array) =>
  levels.every((level, i) => i < 2 || level - levels[i - 1]! === levels[1]! - levels[0]!);

/** Mann and Kendall: how likely as many pairs rise among levels without a trend. */
function risesByChance(all: Float64Array): number {
  const every = Math.ceil(all.length / MOST_COMPARED);
  const levels = all.filter((_, i) => i % every === 0);
  const n = levels.length;
  let rising = 0;
  for (let i = 0; i < n; i++) {
    for (let k = i + 1; k < n; k++) rising += Math.sign(levels[k]! - levels[i]!);
  }
  const error = Math.sqrt((n * (n - 1) * (2 * n + 5)) / 18);
  return normalTail((rising - 1) / error);
}

/** What still grows at the end is not over: the second half of the last third stands higher than its first. */
export function hasEnded({ levels, third }: Thirds): boolean {
  const tail = levels.subarray(levels.length - Math.max(2, third));
  const half = Math.floor(tail.length / 2);
  return lowest(tail.subarray(tail.length - half)) <= lowest(tail.subarray(0, half));
}

const lowest = (levels: Float64Array) => levels.reduce((a, b) => Math.min(a, b));
const highest = (levels: Float64Array) => levels.reduce((a, b) => Math.max(a, b));
