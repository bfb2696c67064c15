/** One measured peak: the values of the parameters, and how much. */
export interface Sample {
  readonly at: readonly number[];
  readonly bytes: number;
}

/** A product of powers, one exponent each parameter: `[1, 2]` is batch × size². */
export type Monomial = readonly number[];

/** A sample as a row of the regression. */
export interface DesignRow extends Sample {
  /** 1, then the value of each monomial. */
  readonly values: readonly number[];
  /** What residuals are divided by. */
  readonly errorScale: number;
  /** One row of m that are of one size counts as 1/m: they err together, as an allocator treats them alike. */
  readonly weight: number;
  /** Number of the size: rows that err together are left out together. */
  readonly cluster: number;
  /** Number of the combination of parameters: rows of one are repeats, which tell of noise, not of the shape. */
  readonly point: number;
}

/** Samples as rows, and the monomials of their parameters as columns. */
export interface DesignMatrix {
  readonly basis: readonly Monomial[];
  /** Prior penalty of each monomial, on the scale of a candidate's score. */
  readonly penalties: readonly number[];
  readonly rows: readonly DesignRow[];
  readonly largestBytes: number;
  /** How far peaks are believed to lie off every curve before any is seen, as a share. */
  readonly priorScatter: number;
}

/** How often a monomial takes part in models of a cleaner figure of the same runs. */
export type MonomialShares = (powers: Monomial) => number;

/** Whatever is measured, a process has pages of its own that come and go. */
const SMALLEST_SIZE = 64 * 1024 ** 2;

/**
 * Errors grow with the root of the size, as those of a sum of rounded blocks, and with the size itself
 * above the largest sample: what lies nearest to an unknown size tells most about it.
 */
export function errorScaleOf(bytes: number, largestBytes: number): number {
  const size = Math.max(bytes, 0) + SMALLEST_SIZE;
  return size > largestBytes + SMALLEST_SIZE
    ? size
    : Math.sqrt(size * (largestBytes + SMALLEST_SIZE));
}

/** A peak repeats within this. */
const PRIOR_SCATTER = 0.01;

export function designMatrix(
  samples: readonly Sample[],
  { shares, priorScatter = PRIOR_SCATTER }: { shares?: MonomialShares; priorScatter?: number } = {},
): DesignMatrix {
  const largestBytes = Math.max(...samples.map(({ bytes }) => bytes));
  const varied = (samples[0]?.at ?? []).map((value, i) =>
    samples.some(({ at }) => at[i] !== value),
  );
  const basis = monomials(varied);
  const points = new Map<string, number>();
  const clusters = clustersOf(samples);
  const rows = samples.map(({ at, bytes }, i): DesignRow => {
    const key = at.join(' ');
    const point = points.get(key) ?? points.size;
    points.set(key, point);
    const { cluster, weight } = clusters[i]!;
    const errorScale = errorScaleOf(bytes, largestBytes) / Math.sqrt(weight);
    return { at, bytes, point, cluster, weight, errorScale, values: valuesAt(basis, at) };
  });
  const penalties = basis.map(
    (powers) => priorPenalty(powers, varied) + rarityPenalty(shares?.(powers)),
  );
  return { basis, penalties, rows, largestBytes, priorScatter };
}

/** 1, then the value of each of them. */
export const valuesAt = (basis: readonly Monomial[], at: readonly number[]): number[] => [
  1,
  ...basis.map((powers) => powers.reduce((value, power, i) => value * at[i]! ** power, 1)),
];

export const countPoints = (rows: readonly Pick<DesignRow, 'point'>[]): number =>
  new Set(rows.map(({ point }) => point)).size;

const MOST_OF_ONE = 2;
/** batch × channels × side²: nothing in common use goes further. */
const MOST_IN_ALL = 4;

/**
 * What a tensor's size can be made of: products of parameters, of which one may be squared (attention
 * without fusing, images by their side). Parameters that were not varied are left out, as they cannot
 * be told from the constant.
 */
function monomials(varied: readonly boolean[]): Monomial[] {
  let found: number[][] = [[]];
  for (const varies of varied) {
    const powers = varies ? [...Array(MOST_OF_ONE + 1).keys()] : [0];
    found = found.flatMap((head) => powers.map((power) => [...head, power]));
  }
  return found
    .filter((powers) => powers.filter((power) => power > 1).length <= 1)
    .filter((powers) => degree(powers) > 0 && degree(powers) <= MOST_IN_ALL)
    .sort((a, b) => degree(a) - degree(b));
}

const degree = (powers: Monomial): number => powers.reduce((sum, power) => sum + power, 0);

/** Peaks this close to the next smaller one are of one size. */
const SAME_SIZE = 0.01;

function clustersOf(samples: readonly Sample[]): { cluster: number; weight: number }[] {
  const order = [...samples.keys()].sort((a, b) => samples[a]!.bytes - samples[b]!.bytes);
  const clusters: number[][] = [];
  let last = Number.NEGATIVE_INFINITY;
  for (const row of order) {
    const { bytes } = samples[row]!;
    if (bytes - last > SAME_SIZE * bytes) clusters.push([]);
    clusters.at(-1)!.push(row);
    last = bytes;
  }
  const found = samples.map(() => ({ cluster: 0, weight: 1 }));
  for (const [cluster, rows] of clusters.entries()) {
    for (const row of rows) found[row] = { cluster, weight: 1 / rows.length };
  }
  return found;
}

/** Activations have all that was varied as dimensions: a product without one of them is rarer. */
const MISSING = 3;

/** Higher powers are rarer than products. */
const priorPenalty = (powers: Monomial, varied: readonly boolean[]) =>
  0.5 * (degree(powers) - 1) +
  (powers.some((power) => power > 1) ? 1.5 : 0) +
  MISSING * powers.filter((power, i) => power === 0 && varied[i]).length;

/** What an allocator takes from a device grows with the same products as what it is asked for. */
const SMALLEST_SHARE = 0.01;
const rarityPenalty = (share = 1) => -2 * Math.log(Math.max(SMALLEST_SHARE, Math.min(1, share)));
