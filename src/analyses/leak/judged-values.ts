import { valuesFrom } from './bounded-values.ts';
import { rhythmOf } from './rhythm.ts';
import { type TrendEvidence, type TrendValues, trendEvidence } from './trend-evidence.ts';
import { judgeTrend } from './trend-rules.ts';

/** When the judged values began and ended; NaN where there are too few. */
export interface JudgedTime {
  readonly fromNs: number;
  readonly toNs: number;
}

export interface JudgedValues {
  readonly values: TrendValues;
  readonly evidence: TrendEvidence;
  /** Iterations or seconds of the rhythm that was taken out; null: the values are as they were. */
  readonly rhythm: number | null;
}

/** As they are; where that cannot tell, without the rhythm that is in them. */
export function judgedValues(values: TrendValues): JudgedValues {
  const evidence = trendEvidence(values);
  const asTheyAre = { values, evidence, rhythm: null };
  if (judgeTrend(evidence).rule !== 'not shown') return asTheyAre;
  const rhythm = rhythmOf(valuesFrom(values, values.y.length - evidence.judged));
  if (!rhythm) return asTheyAre;
  const rest = trendEvidence(rhythm.rest);
  const { rule } = judgeTrend(rest);
  const tells =
    rule === 'steady growth'
      ? growsSurely(rest)
      : rule !== 'not shown' || rest.slopeMost < evidence.slopeMost;
  return tells ? { values: rhythm.rest, evidence: rest, rhythm: rhythm.period } : asTheyAre;
}

/** More surely than the values themselves would have to show it: a rhythm that is not quite known leaves traces of itself. */
const growsSurely = ({ growth, growthLow, floor }: TrendEvidence): boolean =>
  growth > floor && growthLow > growth / 2;
