import { BLOCK_STATE, NO_ID, OWNER, SEGMENT_KIND } from '../../model/allocations/actions.ts';
import { type Region, Regions } from '../../model/allocations/regions.ts';
import type { LaterEvents } from './later-events.ts';

/** Rows of the tables `segments` and `blocks`, before they are written. */
export interface SegmentRow {
  readonly address: bigint;
  readonly size: number;
  readonly pool: number;
  readonly kind: number;
  readonly expandable: number;
  readonly stack: number;
  readonly blocks: BlockRow[];
}

export interface BlockRow {
  readonly address: bigint;
  readonly size: number;
  readonly requested: number;
  readonly state: number;
  readonly stack: number;
  readonly owner: number;
}

const SMALL_SEGMENT = 2 << 20;
const ROUNDING = 512;

/** The state before some events, from the state after them. */
export function rewound(segments: readonly SegmentRow[], later: LaterEvents): SegmentRow[] {
  const regions = new Regions(
    segments.map(({ address, expandable, ...segment }) => ({
      ...segment,
      address: Number(address),
      expandable: expandable === 1,
    })),
  );
  for (const change of later.changes.toReversed()) {
    const { low, high, size, pool, expandable } = change;
    const region = { address: Number(joined(low, high)), size, pool, expandable };
    if (change.taken) regions.remove(region);
    else regions.add(region);
  }
  const rows = regions.list.map((region) => segmentRow(region, segments));
  for (const block of blocksBefore(segments, later)) {
    const at = regions.indexOf(Number(block.address));
    rows[at]?.blocks.push(block);
  }
  for (const { blocks } of rows) {
    blocks.sort((a, b) => (a.address < b.address ? -1 : a.address > b.address ? 1 : 0));
  }
  return rows;
}

/** What is said of the segment that is still there at the end, else what its size tells. */
function segmentRow(
  { address, size, pool, expandable }: Region,
  final: readonly SegmentRow[],
): SegmentRow {
  const place = BigInt(address);
  const same = final.find((segment) => segment.address === place);
  const kind = size <= SMALL_SEGMENT ? SEGMENT_KIND.small : SEGMENT_KIND.large;
  return {
    address: place,
    size,
    pool,
    kind: same?.kind ?? (expandable ? SEGMENT_KIND.unknown : kind),
    expandable: expandable ? 1 : 0,
    stack: same?.stack ?? NO_ID,
    blocks: [],
  };
}

function* blocksBefore(segments: readonly SegmentRow[], later: LaterEvents): Generator<BlockRow> {
  for (const block of segments.flatMap((segment) => segment.blocks)) {
    const [low, high] = [Number(block.address & 0xffffffffn), Number(block.address >> 32n)];
    if (block.state !== BLOCK_STATE.inactive && !later.has(low, high)) yield block;
  }
  for (const { low, high, size: requested, state } of later.blocks()) {
    const size = Math.max(ROUNDING, Math.ceil(requested / ROUNDING) * ROUNDING);
    yield { address: joined(low, high), size, requested, state, stack: NO_ID, owner: OWNER.untold };
  }
}

export function joined(low: number, high: number): bigint {
  return (BigInt(high) << 32n) | BigInt(low);
}
