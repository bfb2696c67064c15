import type {
  Measure,
  RankDetails,
  RankSummary,
  RecordingSummary,
} from '../../model/job/summary.ts';

/** One rank with what its recording says of it. */
export interface Member {
  readonly rank: number | null;
  readonly node: string;
  readonly summary: RankSummary;
  readonly recording: RecordingSummary;
  /** What it held by name, and its curves; read when it is asked for. */
  details(): RankDetails;
}

/** The most that a rank held by one measure; null: not measured. */
export function peakBytes({ summary }: Member, measure: Measure): number | null {
  switch (measure) {
    case 'card':
      return summary.card?.bytes ?? null;
    case 'torch':
      return summary.torchBytes;
    case 'memory':
      return summary.memory?.bytes ?? null;
  }
}

/** It ended, and not well. */
export const died = ({ summary: { ended } }: Member): boolean =>
  ended.how === 'failed' ||
  ended.how === 'killed' ||
  ended.how === 'cut-off' ||
  ended.how === 'gone';
