import { poolsOf, poolText } from '../../model/allocations/names.ts';
import { type RegionState, stateAt } from '../../model/allocations/state.ts';
import type { DeviceTrace } from '../../model/allocations/trace.ts';
import { Columns } from '../../model/columns.ts';
import type { Recording } from '../../model/recording.ts';
import type { Category } from './evidence/reasons.ts';
import { type RowReason, reasonColumn } from './evidence/row-reasons.ts';
import { surveyOf } from './evidence/survey.ts';
import { momentOf, type StepMoment } from './moment.ts';
import { describeStack } from './top-stacks.ts';

/** The allocator's segments at one moment, with what lies in them and what keeps them. */
export interface LayoutHeader extends StepMoment {
  readonly type: 'layout';
  /** Position in the trace; -1: before the first. */
  readonly event: number;
  readonly events: number;
  readonly peakEvent: number;
  readonly seconds: number | null;
  readonly reservedBytes: number;
  readonly requestedBytes: number;
  /** Free, in segments that a live block keeps from being given back. */
  readonly pinnedBytes: number;
  /** In segments without any live block. */
  readonly cachedBytes: number;
  readonly largestHoleBytes: number;
  readonly segments: readonly SegmentFacts[];
  readonly reasons: readonly RowReason[];
}

export interface SegmentFacts {
  readonly address: string;
  readonly bytes: number;
  readonly freeBytes: number;
  readonly largestHoleBytes: number;
  readonly blocks: number;
  readonly holes: number;
  readonly pool: string | null;
  readonly expandable: boolean;
  /** The largest live block, which would have to go first; null: nothing keeps it. */
  readonly holder: {
    readonly row: number;
    readonly bytes: number;
    readonly category: Category;
    readonly where: string;
  } | null;
}

/** Columns have a row for each live block: its segment, its row of the lifetimes, where it lies in the segment. */
export function layoutAt(
  recording: Recording,
  trace: DeviceTrace,
  event: number,
): Columns<LayoutHeader> {
  const known = surveyOf(recording, trace);
  const { life, bytes } = known;
  const state = stateAt(trace, event);
  const { of, reasons } = reasonColumn(known);
  const pools = poolsOf(recording).map(poolText);
  const segments = state.regions.map((region): SegmentFacts => {
    const holder = largest(region, life.size);
    return {
      address: `0x${region.address.toString(16)}`,
      bytes: region.size,
      freeBytes: region.holes.reduce((sum, hole) => sum + hole.size, 0),
      largestHoleBytes: region.holes.reduce((most, hole) => Math.max(most, hole.size), 0),
      blocks: region.blocks.length,
      holes: region.holes.length,
      pool: pools[region.pool] ?? null,
      expandable: region.expandable,
      holder:
        holder < 0
          ? null
          : {
              row: holder,
              bytes: life.size[holder]!,
              category: reasons[of[holder]!]!.category,
              where: describeStack(recording, life.stack[holder]!).where,
            },
    };
  });
  const free = (list: readonly SegmentFacts[]) =>
    list.reduce((sum, segment) => sum + segment.freeBytes, 0);
  const blocks = state.regions.flatMap((region, segment) =>
    region.blocks.map(({ row, address, size }) => ({
      ...{ segment, row, size },
      from: address - region.address,
    })),
  );
  const seconds = (trace.times[Math.max(event, 0)]! - trace.times[0]!) / 1e9;
  const header: LayoutHeader = {
    type: 'layout',
    event,
    events: trace.events,
    peakEvent: bytes.peakEvent,
    seconds: Number.isFinite(seconds) ? seconds : null,
    ...momentOf(known, event),
    reservedBytes: state.reservedBytes,
    requestedBytes: state.requestedBytes,
    pinnedBytes: free(segments.filter(({ holder }) => holder)),
    cachedBytes: free(segments.filter(({ holder }) => !holder)),
    largestHoleBytes: segments.reduce((most, one) => Math.max(most, one.largestHoleBytes), 0),
    segments,
    reasons,
  };
  return new Columns(header, {
    segment: Uint32Array.from(blocks, (block) => block.segment),
    row: Uint32Array.from(blocks, (block) => block.row),
    from: Float64Array.from(blocks, (block) => block.from),
    size: Float64Array.from(blocks, (block) => block.size),
    reason: Uint8Array.from(blocks, (block) => of[block.row]!),
  });
}

function largest({ blocks }: RegionState, sizes: Float64Array): number {
  let found = -1;
  for (const { row } of blocks) if (found < 0 || sizes[row]! > sizes[found]!) found = row;
  return found;
}
