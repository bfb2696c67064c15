import { count as counted } from '../../../base/text.ts';

/** Growth below this is not worth a line. */
export const SMALL_BYTES = 10_000;
export const OURS = 'only Highwater itself holds it';
/** Growth of the last step that still counts as none, of all growth before it. */
const SETTLED_SHARE = 0.05;

export type GrowthVerdict = 'candidate' | 'settled' | 'uneven' | 'artifact';

export interface Judgement {
  readonly verdict: GrowthVerdict;
  /** What the verdict rests on, as words. */
  readonly evidence: string;
}

/** An ordered list of rules on one quantity over the heaps: the first that fits decides, and says on what. */
export function judge(series: readonly number[]): Judgement {
  const steps = series.slice(1).map((value, i) => value - series[i]!);
  const last = steps.at(-1)!;
  const before = series.at(-2)! - series[0]!;
  if (steps.length === 1) {
    return { verdict: 'candidate', evidence: 'two heaps cannot tell growth from chance' };
  }
  if (steps.every((step) => step > 0) && last > SETTLED_SHARE * before) {
    return { verdict: 'candidate', evidence: `grew at each of ${counted(steps.length, 'step')}` };
  }
  if (last <= Math.max(0, SETTLED_SHARE * before)) {
    const fell = last < 0 ? 'fell back' : 'did not go on growing';
    return { verdict: 'settled', evidence: `${fell} at the last step` };
  }
  const rising = steps.filter((step) => step > 0).length;
  return {
    verdict: 'uneven',
    evidence: `grew at ${rising} of ${steps.length} steps: take more heaps`,
  };
}
