import { MiB } from '../../../base/bytes.ts';
import { SEGMENT_KIND } from '../../../model/allocations/actions.ts';
import { addressNumber } from '../../../model/allocations/address-book.ts';
import { poolsOf } from '../../../model/allocations/names.ts';
import { type RegionState, stateAt } from '../../../model/allocations/state.ts';
import type { DeviceTrace } from '../../../model/allocations/trace.ts';
import type { Recording } from '../../../model/recording.ts';
import { byChange, type Change, type Held, heldBy, share } from './change.ts';

/** Memory that the allocator had taken from the device, of one kind. */
export interface SegmentChange {
  readonly kind: 'small' | 'large';
  /** `private`: of a CUDA graph or another pool that was asked for. */
  readonly pool: 'default' | 'private';
  readonly expandable: boolean;
  readonly bytes: Change;
  readonly segments: Change;
}

interface Side {
  readonly recording: Recording;
  readonly trace: DeviceTrace;
  /** When most was reserved, and how much. */
  readonly event: number;
  readonly reserved: number;
}

/** None where a source does not tell all segments, as those of the profiler. */
export function segmentChanges(a: Side, b: Side): SegmentChange[] {
  const [before, after] = [kinds(a), kinds(b)];
  const isWhole = (found: typeof before, { reserved }: Side) =>
    heldBy([...found.values()]).bytes === reserved;
  if (!isWhole(before, a) || !isWhole(after, b)) return [];
  return [...new Set([...before.keys(), ...after.keys()])]
    .map((key) => ({ key, ...share(before.get(key), after.get(key)) }))
    .sort(byChange)
    .map(({ key, bytes, allocations }) => {
      const [kind, pool, expandable] = key.split(' ') as [string, string, string?];
      return {
        kind: kind as SegmentChange['kind'],
        pool: pool as SegmentChange['pool'],
        expandable: expandable !== undefined,
        bytes,
        segments: allocations,
      };
    });
}

function kinds({ recording, trace, event }: Side): Map<string, Held> {
  const pools = poolsOf(recording);
  const said = finalSegments(trace);
  const found = new Map<string, Held>();
  for (const region of stateAt(trace, event).regions) {
    const known = said.find((one) => one.from <= region.address && region.address < one.end);
    // Events tell streams, and seldom pools; segments tell both.
    const pool = pools[known?.pool ?? region.pool]?.pool;
    const isPrivate = pool?.some((part) => part !== 0) ?? false;
    const key = [kindOf(region, known?.kind), isPrivate ? 'private' : 'default'];
    if (region.expandable) key.push('expandable');
    const name = key.join(' ');
    const held = found.get(name) ?? { bytes: 0, allocations: 0 };
    found.set(name, { bytes: held.bytes + region.size, allocations: held.allocations + 1 });
  }
  return found;
}

/** PyTorch's sizes: segments for small blocks have 2 MiB, and such blocks at most 1 MiB. */
const SMALL_SEGMENT = 2 * MiB;
const SMALL_BLOCK = MiB;

function finalSegments({ segments, addressBook }: DeviceTrace) {
  return Array.from(segments.address, (address, i) => {
    const from = addressNumber(addressBook, address);
    return { from, end: from + segments.size[i]!, kind: segments.kind[i], pool: segments.pool[i]! };
  });
}

/** As the snapshot says of segments that are still there; of those long gone, by their size. */
function kindOf({ size, expandable, blocks }: RegionState, said?: number): SegmentChange['kind'] {
  if (said === SEGMENT_KIND.small) return 'small';
  if (said === SEGMENT_KIND.large) return 'large';
  const isSmall = expandable
    ? blocks.every((block) => block.size <= SMALL_BLOCK)
    : size === SMALL_SEGMENT;
  return isSmall ? 'small' : 'large';
}
