import { BLOCK_STATE } from '../../model/allocations/actions.ts';
import { addressText } from '../../model/allocations/address-book.ts';
import { type Frame, framesOf, poolsOf, poolText, tagText } from '../../model/allocations/names.ts';
import type { DeviceTrace } from '../../model/allocations/trace.ts';
import type { Recording } from '../../model/recording.ts';
import type { Category } from './evidence/reasons.ts';
import { reasonColumn } from './evidence/row-reasons.ts';
import { surveyOf, type TraceSurvey } from './evidence/survey.ts';
import { momentOf, type StepMoment } from './moment.ts';
import { describeStack } from './top-stacks.ts';

/** All that is known of one allocation. */
export interface AllocationFacts {
  readonly type: 'allocation';
  /** Row of the lifetimes. */
  readonly row: number;
  /** Requested. */
  readonly bytes: number;
  /** What the allocator set aside for it, where the snapshot tells. */
  readonly blockBytes: number | null;
  readonly address: string;
  readonly category: Category;
  readonly part: string | null;
  /** Why it is taken for that, and how sure that is. */
  readonly reason: string;
  readonly confidence: number;
  /** As the program named it: a layer, where it tags its layers; null without any. */
  readonly tag: string | null;
  readonly pool: string | null;
  readonly where: string;
  /** Innermost first. */
  readonly frames: readonly Frame[];
  /** null: it was there before the trace. */
  readonly allocated: EventFacts | null;
  /** When the program let go of it; null: not in the trace. */
  readonly freeRequested: EventFacts | null;
  /** When its memory was free again: later where a stream still used it. */
  readonly freed: EventFacts | null;
  readonly lifetimeSeconds: number | null;
  /** The free that ended it is not known: still there at the end. */
  readonly pendingFree: boolean;
}

export interface EventFacts extends StepMoment {
  /** The number it has in the file. */
  readonly event: number;
  /** Since the trace's first event. */
  readonly seconds: number | null;
  readonly where: string;
  readonly frames: readonly Frame[];
}

/** null: there is no such row. */
export function allocationFacts(
  recording: Recording,
  trace: DeviceTrace,
  row: number,
): AllocationFacts | null {
  const known = surveyOf(recording, trace);
  const { life } = known;
  if (!(Number.isInteger(row) && row >= 0 && row < life.count)) return null;
  const { of, reasons } = reasonColumn(known);
  const { category, text, confidence, part } = reasons[of[row]!]!;
  const block = life.blockOf(row);
  const stack = life.stack[row]!;
  const pool = poolsOf(recording)[life.poolOf(row)];
  const [start, end] = [life.start[row]!, life.end[row]!];
  return {
    type: 'allocation',
    row,
    bytes: life.size[row]!,
    blockBytes: block < 0 ? null : trace.blocks.size[block]!,
    address: addressText(trace.addressBook, life.addressOf(row)),
    category,
    part,
    reason: text,
    confidence,
    tag: tagText(recording, life.tagOf(row)) || null,
    pool: pool ? poolText(pool) : null,
    where: describeStack(recording, stack).where,
    frames: framesOf(recording, stack),
    allocated: start < 0 ? null : eventFacts(known, start),
    freeRequested:
      life.freeRequested[row]! < 0 ? null : eventFacts(known, life.freeRequested[row]!),
    freed: end >= trace.events ? null : eventFacts(known, end),
    lifetimeSeconds: start < 0 || end >= trace.events ? null : secondsBetween(trace, start, end),
    pendingFree: block >= 0 && trace.blocks.state[block] === BLOCK_STATE.pending,
  };
}

function eventFacts(known: TraceSurvey, event: number): EventFacts {
  const { trace, recording } = known;
  const stack = trace.stacks[event]!;
  return {
    event: trace.firstEvent + event,
    seconds: secondsBetween(trace, 0, event),
    ...momentOf(known, event),
    where: describeStack(recording, stack).where,
    frames: framesOf(recording, stack),
  };
}

function secondsBetween({ times }: DeviceTrace, from: number, to: number): number | null {
  const seconds = (times[to]! - times[from]!) / 1e9;
  return Number.isFinite(seconds) ? seconds : null;
}
