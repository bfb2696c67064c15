/** Factors for the width of intervals, by how well models told what they had not seen. */
export interface Widening {
  /** Of sizes below a measured one; less than 1 where models do better than they say. */
  readonly inside: number;
  /** Of all others. */
  readonly outside: number;
}

/** A measured peak that was told by others. */
export interface Miss {
  /** How far it lies from the middle, in halves of the interval: beyond 1 it was missed. */
  readonly size: number;
  readonly weight: number;
}

export const AS_THEY_ARE: Widening = { inside: 1, outside: 1 };

/** Intervals hold so many of all peaks. */
const LEVEL = 0.9;
/** What other sweeps show of the misses of left-out sizes, with the weight of so many sizes. */
const USUAL = 1.1;
const USUAL_WEIGHT = 10;
/** However well a few sizes are told, no interval shrinks to less than this. */
const SMALLEST = 0.4;
/** Beyond what was measured, allocators and libraries choose other ways, and few sizes show little of the shape. */
const leastOutside = (sizes: number) => 1.25 * (1 + 2 / Math.max(1, sizes));

/**
 * `backtest`: by how much the largest sizes were missed by intervals of the smaller ones. Inside, the
 * quantile of the misses (a conformal interval), drawn towards the usual one as far as sizes are few.
 */
export function wideningBy(leftOut: readonly Miss[], backtest: number): Widening {
  const misses = leftOut
    .filter(({ size }) => Number.isFinite(size))
    .sort((a, b) => a.size - b.size);
  const sizes = misses.reduce((sum, { weight }) => sum + weight, 0);
  let seen = 0;
  const edge = misses.find(({ weight }) => {
    seen += weight;
    return seen >= LEVEL * (sizes + 1);
  });
  const own = Math.max(SMALLEST, (edge ?? misses.at(-1))?.size ?? USUAL);
  const inside = Math.exp(
    (sizes * Math.log(own) + USUAL_WEIGHT * Math.log(USUAL)) / (sizes + USUAL_WEIGHT),
  );
  return { inside, outside: Math.max(inside, leastOutside(sizes), backtest) };
}
