import { valuesFrom } from './bounded-values.ts';
import { CONFIDENCE, type SlopeBound, slopeBound } from './slope-bound.ts';
import type { TrendEvidence, TrendValues } from './trend-evidence.ts';

/** In the trend's own unit, for each iteration or second. */
export interface TrendBound extends SlopeBound {
  readonly confidence: number;
  /** Over the judged values. */
  readonly growthBytes: number;
}

export function boundOf(values: TrendValues, { judged }: TrendEvidence): TrendBound | null {
  const late = valuesFrom(values, values.y.length - judged);
  const bound = slopeBound(late);
  const length = late.x[judged - 1]! - late.x[0]!;
  return bound && { ...bound, confidence: CONFIDENCE, growthBytes: bound.most * length };
}
