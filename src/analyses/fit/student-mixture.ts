import { studentTail } from '../../base/student.ts';

/** A component of a mixture: Student's t about `bytes`, with its scale, degrees of freedom and weight. */
export interface StudentComponent {
  readonly bytes: number;
  readonly scale: number;
  readonly freedom: number;
  readonly weight: number;
}

/** A value and the interval that holds it in 90 of 100 cases. */
export interface Estimate {
  readonly bytes: number;
  readonly lowBytes: number;
  readonly highBytes: number;
}

const TAIL = 0.05;
/** In scales: every quantile that is asked for lies nearer. */
const FARTHEST = 40;
/** To a billionth of that. */
const HALVINGS = 36;

/** Median and 90 % interval: where models differ, it covers them all as far as each is likely. */
export function mixtureEstimate(components: readonly StudentComponent[], widening = 1): Estimate {
  const bytes = quantile(components, 0.5);
  const widened = (edge: number) => Math.max(0, bytes + (edge - bytes) * widening);
  return {
    bytes,
    lowBytes: widened(quantile(components, TAIL)),
    highBytes: widened(quantile(components, 1 - TAIL)),
  };
}

/** How likely the value is larger. */
export const probabilityAbove = (components: readonly StudentComponent[], bytes: number): number =>
  components.reduce(
    (sum, component) =>
      sum +
      component.weight *
        studentTail((bytes - component.bytes) / component.scale, component.freedom),
    0,
  ) / components.reduce((sum, { weight }) => sum + weight, 0);

function quantile(components: readonly StudentComponent[], q: number): number {
  let low = Math.min(...components.map(({ bytes, scale }) => bytes - FARTHEST * scale));
  let high = Math.max(...components.map(({ bytes, scale }) => bytes + FARTHEST * scale));
  for (let i = 0; i < HALVINGS; i++) {
    const middle = (low + high) / 2;
    if (1 - probabilityAbove(components, middle) < q) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
