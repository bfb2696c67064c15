import { count } from '../../base/text.ts';
import { NO_ID } from '../../model/allocations/actions.ts';
import { type DeviceId, deviceId, deviceName } from '../../model/allocations/device-name.ts';
import { type DeviceTrace, traces } from '../../model/allocations/trace.ts';
import type { Recording } from '../../model/recording.ts';
import { surveyOf } from './evidence/survey.ts';

/** What an allocation trace cannot know. */
export interface AllocationTrust {
  readonly device: DeviceId;
  /** The ring buffer was full: older events are lost. null: the source does not say. */
  readonly overflowed: boolean | null;
  readonly maxEntries: number | null;
  /** Live at the peak, and there before the trace: nobody saw who made it. */
  readonly beforeTraceBytes: number;
  readonly beforeTraceShare: number;
  readonly unmatchedFrees: number;
  readonly unmatchedAllocations: number;
  /** Allocations without a recorded stack (autograd's threads have one, without Python frames). */
  readonly withoutStack: { readonly allocations: number; readonly share: number };
  readonly withoutTimes: boolean;
}

const known = new WeakMap<Recording, readonly AllocationTrust[]>();

export function allocationTrust(recording: Recording): readonly AllocationTrust[] {
  let found = known.get(recording);
  if (!found) {
    found = traces(recording).map((trace) => doubts(recording, trace));
    known.set(recording, found);
  }
  return found;
}

function doubts(recording: Recording, trace: DeviceTrace): AllocationTrust {
  const { life, bytes } = surveyOf(recording, trace);
  const { peakEvent, peakRequested } = bytes;
  let before = 0;
  for (let row = life.allocs; row < life.count; row++) {
    if (life.end[row]! > peakEvent) before += life.size[row]!;
  }
  let without = 0;
  for (let row = 0; row < life.allocs; row++) if (life.stack[row] === NO_ID) without++;
  const { allocator } = recording.run;
  return {
    device: deviceId(trace.device),
    overflowed: allocator?.overflowed ?? null,
    maxEntries: allocator?.maxEntries ?? null,
    beforeTraceBytes: before,
    beforeTraceShare: peakRequested > 0 ? before / peakRequested : 0,
    unmatchedFrees: life.unmatchedFrees,
    unmatchedAllocations: life.unmatchedAllocs,
    withoutStack: {
      allocations: without,
      share: life.allocs > 0 ? without / life.allocs : 0,
    },
    withoutTimes: trace.events > 0 && Number.isNaN(trace.times[0]!),
  };
}

/** The doubts that change what the figures mean, as sentences. */
export function allocationWarnings(recording: Recording): string[] {
  const doubts = allocationTrust(recording);
  const remedy =
    recording.run.allocator?.source === 'torch-snapshot' ? ': record with context="all"' : '';
  const found: string[] = [];
  for (const doubt of doubts) {
    const where = deviceName(doubt.device);
    const say = (text: string) => found.push(`${where}: ${text}`);
    if (doubt.overflowed) {
      const ring = doubt.maxEntries === null ? '' : ` of ${doubt.maxEntries} entries`;
      say(`the trace's ring buffer${ring} overflowed: its beginning is lost (raise max_entries)`);
    }
    if (doubt.beforeTraceShare > 0.01) {
      const percent = (doubt.beforeTraceShare * 100).toFixed(0);
      say(
        `${percent} % of the peak was there before the trace began: who made it was not recorded`,
      );
    }
    const odd = doubt.unmatchedFrees + doubt.unmatchedAllocations;
    if (odd > 0) say(`${count(odd, 'event')} fit no block: the trace has holes`);
    if (doubt.withoutStack.share > 0.1) {
      const percent = (doubt.withoutStack.share * 100).toFixed(0);
      say(`${percent} % of the allocations have no stack${remedy}`);
    }
    if (doubt.withoutTimes) say('the trace has no times: moments are given as events');
  }
  return found;
}
