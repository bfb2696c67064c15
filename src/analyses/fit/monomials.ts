/** A product of powers, one exponent each parameter: `[1, 2]` is batch × size². */
export type Monomial = readonly number[];

const MOST_OF_ONE = 2;
/** batch × channels × side²: nothing in common use goes further. */
const MOST_IN_ALL = 4;

/**
 * What a tensor's size can be made of: products of parameters, of which one may be squared (attention
 * without fusing, images by their side). Parameters that were not varied are left out, as they cannot
 * be told from the constant.
 */
export function monomials(varied: readonly boolean[]): Monomial[] {
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

export const degree = (powers: Monomial): number => powers.reduce((sum, power) => sum + power, 0);

/** 1, then the value of each of them. */
export const valuesAt = (basis: readonly Monomial[], at: readonly number[]): number[] => [
  1,
  ...basis.map((powers) => powers.reduce((value, power, i) => value * at[i]! ** power, 1)),
];
