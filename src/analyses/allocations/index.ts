import type { NumberOrNaN } from '../../base/stats.ts';
import type { Summary } from '../../model/allocations/curve.ts';
import { type DeviceId, deviceId } from '../../model/allocations/device-name.ts';
import { liveRows } from '../../model/allocations/live.ts';
import { type DeviceTrace, traces } from '../../model/allocations/trace.ts';
import type { Recording } from '../../model/recording.ts';
import type { RunInfo } from '../../model/run.ts';
import { type CategoryShare, categories } from './categories.ts';
import { surveyOf } from './evidence/survey.ts';
import { type Fragmentation, fragmentation } from './fragmentation.ts';
import { type AllocationLeak, leaks } from './leaks.ts';
import { momentOf, type StepMoment } from './moment.ts';
import { type FailedRequest, failedRequest } from './oom.ts';
import { stepBytes } from './step-bytes.ts';
import { type StepFacts, stepFacts } from './step-facts.ts';
import { type StackShare, type TagShare, type Top, topStacks, topTags } from './top-stacks.ts';
import { cardSize, type UntilFull, untilFull } from './until-full.ts';

/** What one device's allocator did. Sizes are bytes requested, unless they are called reserved. */
export interface Device {
  /** `host` is pinned memory of the host, `cpu` its ordinary memory. */
  readonly device: DeviceId;
  readonly events: number;
  /** The number that event 0 has in the file: not 0 when only a part was loaded. */
  readonly firstEvent: number;
  readonly startRequestedBytes: number;
  readonly endRequestedBytes: number;
  readonly peakRequestedBytes: number;
  /** The last event after which the peak stood; -1: it stood before the first. */
  readonly peakEvent: number;
  /** Since the trace's first event; null where the source has no times. */
  readonly peakSeconds: number | null;
  /** Not known of traces that tell no segments. */
  readonly startReservedBytes: NumberOrNaN;
  readonly endReservedBytes: NumberOrNaN;
  readonly peakReservedBytes: NumberOrNaN;
  readonly peakReservedEvent: number;
  readonly actions: Summary['actions'];
  /** false: frees came without a size, so that the peak is the sum of all allocations. */
  readonly freesKnown: boolean;
  /** What the program was doing at the peak. */
  readonly peakMoment: StepMoment;
  /** What was live at the peak; the sum of their bytes is the peak. */
  readonly categories: readonly CategoryShare[];
  /** Who made what was live at the peak. */
  readonly topStacks: readonly StackShare[];
  readonly otherStacks: Top<StackShare>['others'];
  readonly topTags: readonly TagShare[];
  readonly otherTags: Top<TagShare>['others'];
  /** null where the source does not tell the allocator's segments. */
  readonly fragmentation: Fragmentation | null;
  readonly oom: FailedRequest | null;
  readonly steps: StepFacts;
  readonly leak: AllocationLeak;
  /** How long the card lasts; null where nothing leaks, it is full already, or it is the host's. */
  readonly untilFull: UntilFull | null;
}

/** Every device with a trace; none in most recordings. `cards`: of the run that a snapshot belongs to. */
export function devices(
  recording: Recording,
  cards: Pick<RunInfo, 'gpus'> = recording.run,
): Device[] {
  const cardBytes = cardSize(cards);
  return traces(recording).map((trace) => deviceFacts(recording, trace, cardBytes));
}

const MOST_STACKS = 12;
const MOST_TAGS = 12;

function deviceFacts(recording: Recording, trace: DeviceTrace, cardBytes: number | null): Device {
  const known = surveyOf(recording, trace);
  const { bytes } = known;
  const sums = stepBytes(known);
  const atPeak = liveRows(trace, bytes.peakEvent);
  const stacks = topStacks(known, atPeak, MOST_STACKS);
  const tags = topTags(known, atPeak, MOST_TAGS);
  const leak = leaks(known, sums);
  const steps = stepFacts(known, sums);
  const last = trace.ooms.at(-1);
  const moment = last
    ? { event: last.event, when: 'oom' as const, failed: last.requested }
    : { event: bytes.peakEvent, when: 'peak' as const, failed: null };
  const then = last ? liveRows(trace, last.event) : atPeak;
  // Other sources tell sums of what is reserved, not where.
  const knowsSegments = recording.run.allocator?.source === 'torch-snapshot';
  const fragments = knowsSegments ? fragmentation(known, moment, then) : null;
  return {
    device: deviceId(trace.device),
    events: trace.events,
    firstEvent: trace.firstEvent,
    startRequestedBytes: bytes.startRequested,
    endRequestedBytes: bytes.endRequested,
    peakRequestedBytes: bytes.peakRequested,
    peakEvent: bytes.peakEvent,
    peakSeconds: secondsOf(trace, bytes.peakEvent),
    startReservedBytes: bytes.startReserved,
    endReservedBytes: bytes.endReserved,
    peakReservedBytes: bytes.peakReserved,
    peakReservedEvent: bytes.peakReservedEvent,
    actions: bytes.actions,
    freesKnown: !recording.run.allocator?.settings.releasesWithoutSize,
    peakMoment: momentOf(known, bytes.peakEvent),
    categories: categories(known, atPeak),
    topStacks: stacks.shown,
    otherStacks: stacks.others,
    topTags: tags.shown,
    otherTags: tags.others,
    fragmentation: fragments,
    oom:
      fragments &&
      failedRequest(known, {
        fragments,
        categories: categories(known, then),
        topStacks: topStacks(known, then, MOST_STACKS),
        leak,
        levels: sums,
        live: then,
      }),
    steps,
    leak,
    untilFull:
      leak.verdict === 'leak' && !last && typeof deviceId(trace.device) === 'number'
        ? untilFull(sums, leak.requestedPerStep!, steps.medianSeconds, cardBytes)
        : null,
  };
}

function secondsOf({ times }: DeviceTrace, event: number): number | null {
  const seconds = (times[Math.max(event, 0)]! - times[0]!) / 1e9;
  return Number.isFinite(seconds) ? seconds : null;
}
