import { studentTail } from '../../base/student.ts';

/** One belief about a value: where, how wide, how sure of that, and how much it counts. */
export interface Belief {
  readonly bytes: number;
  readonly deviation: number;
  readonly freedom: number;
  readonly weight: number;
}

/** A value and the interval that holds it in 95 of 100 cases. */
export interface Estimate {
  readonly bytes: number;
  readonly lowBytes: number;
  readonly highBytes: number;
}

const LOW = 0.025;
/** Far enough out for any of the beliefs. */
const REACH = 40;
const HALVINGS = 60;

/** Beliefs together: where explanations differ, the interval covers them all as far as each is likely. */
export function estimate(beliefs: readonly Belief[], widening = 1): Estimate {
  const bytes = quantile(beliefs, 0.5);
  const widened = (edge: number) => Math.max(0, bytes + (edge - bytes) * widening);
  return {
    bytes,
    lowBytes: widened(quantile(beliefs, LOW)),
    highBytes: widened(quantile(beliefs, 1 - LOW)),
  };
}

/** How likely the value is larger. */
export const chanceAbove = (beliefs: readonly Belief[], bytes: number): number =>
  beliefs.reduce(
    (sum, belief) =>
      sum + belief.weight * studentTail((bytes - belief.bytes) / belief.deviation, belief.freedom),
    0,
  ) / beliefs.reduce((sum, { weight }) => sum + weight, 0);

function quantile(beliefs: readonly Belief[], q: number): number {
  let low = Math.min(...beliefs.map(({ bytes, deviation }) => bytes - REACH * deviation));
  let high = Math.max(...beliefs.map(({ bytes, deviation }) => bytes + REACH * deviation));
  for (let i = 0; i < HALVINGS; i++) {
    const middle = (low + high) / 2;
    if (1 - chanceAbove(beliefs, middle) < q) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
