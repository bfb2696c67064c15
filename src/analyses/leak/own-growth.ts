import { formatBytes } from '../../base/bytes.ts';
import { agentMemorySum, histories, historySum } from '../../model/agent-memory.ts';
import type { Recording } from '../../model/recording.ts';
import type { JudgedSeries } from './judged-series.ts';
import type { JudgedTime } from './judged-values.ts';
import type { TrendEvidence } from './trend-evidence.ts';
import type { TrendDecision } from './trend-rules.ts';

/** What the agent holds on the host; it is off the series already. */
interface OwnMemory {
  /** Bytes by which it grew in the judged time. */
  readonly grew: number;
  /** Of that, and of a history that was kept then, what may still be in the series. */
  readonly unsure: number;
}

const NOTHING: OwnMemory = { grew: 0, unsure: 0 };

/** What is left of the growth may still be ours, up to this share of what was taken off: of a size that is a guess, and of one that was measured. */
const UNSURE_SHARE = { guessed: 0.5, measured: 0.2 };
/** A ring that is full goes on changing, as stacks of other depths take the place of the first: by a quarter and more, on a card. */
const UNSURE_OF_RING = 0.5;

function ownMemory(
  recording: Recording,
  { measure }: Pick<JudgedSeries, 'measure'>,
  { fromNs, toNs }: JudgedTime,
): OwnMemory {
  if (measure === 'device' || measure === 'shm' || Number.isNaN(fromNs)) return NOTHING;
  const held = agentMemorySum(recording);
  const grew = held(toNs) - held(fromNs);
  const share = UNSURE_SHARE[histories(recording).measured ? 'measured' : 'guessed'];
  const kept = historySum(recording);
  const ring = UNSURE_OF_RING * Math.min(kept(fromNs), kept(toNs));
  return { grew, unsure: Math.max(share * grew, ring) };
}

/** Growth that our own memory could explain is nobody's leak. */
export function unlessOurs(
  recording: Recording,
  judged: Pick<JudgedSeries, 'measure'>,
  at: JudgedTime,
  { growth }: TrendEvidence,
  decision: TrendDecision,
): TrendDecision {
  if (decision.verdict !== 'leak') return decision;
  const { grew, unsure } = ownMemory(recording, judged, at);
  if (!(growth < unsure)) return decision;
  return {
    verdict: 'inconclusive',
    rule: 'our own memory',
    because:
      `it grew by ${formatBytes(growth)} besides the history that the agent keeps of CUDA's allocator, ` +
      (grew > growth
        ? `which itself grew by about ${formatBytes(grew)}`
        : 'whose size is known to about half') +
      ': too little to tell from that',
  };
}
