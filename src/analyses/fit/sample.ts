import { degree, type Monomial, monomials, valuesAt } from './monomials.ts';

/** One measured peak: where in the grid of numbers, and how much. */
export interface Sample {
  readonly at: readonly number[];
  readonly bytes: number;
}

/** A sample made ready for fitting. */
export interface Row extends Sample {
  /** 1, then the value of each monomial. */
  readonly values: readonly number[];
  /** What errors of it are measured against. */
  readonly yardstick: number;
  /** One row of m that are of one size counts as 1/m: they err together, as an allocator treats them alike. */
  readonly weight: number;
  /** Rows of one place are repeats: they tell of noise, not of the shape. */
  readonly place: number;
}

/** Samples made ready, with what their parameters can be multiplied to. */
export interface Rows {
  readonly basis: readonly Monomial[];
  /** How unlikely each of them is before anything is seen, on the scale of a candidate's score. */
  readonly oddity: readonly number[];
  readonly rows: readonly Row[];
  /** The largest peak. */
  readonly top: number;
}

/** How often a monomial takes part in explanations of the same runs by a cleaner figure. */
export type Shares = (powers: Monomial) => number;

/** Whatever is measured, a process has pages of its own that come and go. */
const FLOOR = 64 * 1024 ** 2;

/**
 * Scatter grows with the root of the size, as that of a sum of rounded blocks, and with the size itself
 * above the largest sample: what lies nearest to an unknown size tells most about it.
 */
export function yardstickOf(bytes: number, top: number): number {
  const size = Math.max(bytes, 0) + FLOOR;
  return size > top + FLOOR ? size : Math.sqrt(size * (top + FLOOR));
}

export function rowsOf(samples: readonly Sample[], shares?: Shares): Rows {
  const top = Math.max(...samples.map(({ bytes }) => bytes));
  const basis = monomials(
    (samples[0]?.at ?? []).map((value, i) => samples.some(({ at }) => at[i] !== value)),
  );
  const places = new Map<string, number>();
  const weights = weightsOf(samples);
  const rows = samples.map(({ at, bytes }, i): Row => {
    const key = at.join(' ');
    const place = places.get(key) ?? places.size;
    places.set(key, place);
    const weight = weights[i]!;
    const yardstick = yardstickOf(bytes, top) / Math.sqrt(weight);
    return { at, bytes, place, weight, yardstick, values: valuesAt(basis, at) };
  });
  const oddity = basis.map((powers) => oddityOf(powers) + strangeness(shares?.(powers)));
  return { basis, oddity, rows, top };
}

/** Peaks this close to the next smaller one are of one size. */
const ALIKE = 0.01;

function weightsOf(samples: readonly Sample[]): number[] {
  const order = [...samples.keys()].sort((a, b) => samples[a]!.bytes - samples[b]!.bytes);
  const sizes: number[][] = [];
  let last = Number.NEGATIVE_INFINITY;
  for (const row of order) {
    const { bytes } = samples[row]!;
    if (bytes - last > ALIKE * bytes) sizes.push([]);
    sizes.at(-1)!.push(row);
    last = bytes;
  }
  const weights = new Array<number>(samples.length).fill(1);
  for (const rows of sizes) for (const row of rows) weights[row] = 1 / rows.length;
  return weights;
}

/** Higher powers are rarer than products, and products than a plain parameter. */
const oddityOf = (powers: Monomial) =>
  0.5 * (degree(powers) - 1) + (powers.some((power) => power > 1) ? 1.5 : 0);

/** What an allocator takes from a device grows with the same products as what it is asked for. */
const RARE = 0.01;
const strangeness = (share = 1) => -2 * Math.log(Math.max(RARE, Math.min(1, share)));

export const countPlaces = (rows: readonly Pick<Row, 'place'>[]): number =>
  new Set(rows.map(({ place }) => place)).size;
