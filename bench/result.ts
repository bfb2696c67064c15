import type { Estimate } from './paired.ts';

/** One line of a benchmark's table. */
export interface Row {
  readonly what: string;
  /** Highwater's figure. */
  readonly figure: string;
  /** What the figure is held against. */
  readonly peer?: string;
  /** The peer's figure; `ABSENT` where it cannot be had. */
  readonly theirs?: string;
  /** Of Highwater to the peer. */
  readonly ratio?: number;
  /** The 95 % interval of the ratio. */
  readonly within?: readonly [number, number];
  readonly limit?: string;
  /** Absent: for information. Null: the limit lies within the noise, so that it cannot be told. */
  readonly pass?: boolean | null;
}

export interface Options {
  /** Shorter runs, to see whether all works; the limits are judged all the same. */
  readonly quick: boolean;
  /** The real thing where the usual run is scaled down. */
  readonly full: boolean;
}

export interface Benchmark {
  readonly name: string;
  readonly title: string;
  /** How long the usual run takes, about. */
  readonly minutes?: number;
  run(options: Options): Promise<Row[]>;
}

export const ABSENT = 'absent: not compared';

/** A peer that cannot be installed: named, and nothing is claimed against it. */
export const absent = (what: string, peer: string, figure = ''): Row => ({
  what,
  figure,
  peer,
  theirs: ABSENT,
});

/** A line whose figure must not exceed a limit. */
export function atMost(what: string, value: number, limit: number, unit: string, digits = 2): Row {
  return {
    what,
    figure: `${value.toFixed(digits)} ${unit}`,
    limit: `≤ ${limit} ${unit}`,
    pass: value <= limit,
  };
}

/** A line whose figure, divided by a peer's, must not exceed a limit. */
export function ratioAtMost(
  what: string,
  peer: string,
  figure: string,
  ratio: number,
  limit: number,
): Row {
  return { what, peer, figure, ratio, limit: `≤ ${limit}×`, pass: ratio <= limit };
}

/** A ratio that is known within an interval: it holds, or does not, only where all of the interval says so. */
export function ratioWithin(row: Row, { ratio, low, high }: Estimate, limit: number): Row {
  const pass = high <= limit ? true : low > limit ? false : null;
  return { ...row, ratio, within: [low, high], limit: `≤ ${limit}×`, pass };
}

export const percent = (share: number) => `${(100 * share).toFixed(2)} %`;
export const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`;
