import { BLOCK_STATE, NO_ID, OWNER, SEGMENT_KIND } from '../../model/allocations/actions.ts';
import { type Region, Regions } from '../../model/allocations/regions.ts';
import type { RecordingBuilder } from '../../model/builder.ts';
import type { PickleValue } from '../pickle/values.ts';
import type { LaterEvents } from './later-events.ts';
import { listOf } from './lists.ts';
import type { Blocks, History, Segments } from './shapes.ts';

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

interface BlockRow {
  readonly address: bigint;
  readonly size: number;
  readonly requested: number;
  readonly state: number;
  readonly stack: number;
  readonly owner: number;
}

interface Shapes {
  readonly segments: Segments;
  readonly blocks: Blocks;
  readonly history: History;
}

/** The segments of a list, by device: by their own word, or all of the one that is given. */
export function segmentRows(
  shapes: Shapes,
  value: PickleValue | undefined,
  device: number | null,
): Map<number, SegmentRow[]> {
  const { segments } = shapes;
  const found = new Map<number, SegmentRow[]>();
  const list = listOf(segments, value, 'its segments are no list of segments');
  if (list === null) return found;
  const { columns } = segments.rows;
  for (const row of segments.lists.rows(list)) {
    const owner = device ?? columns.device[row]! >>> 0;
    const address = joined(columns.low[row]!, columns.high[row]!);
    const rows = found.get(owner) ?? [];
    found.set(owner, rows);
    rows.push({
      address,
      size: columns.size[row]!,
      pool: columns.pool[row]!,
      kind: columns.kind[row]!,
      expandable: columns.expandable[row]!,
      stack: columns.stack[row]!,
      blocks: blockRows(shapes, columns.blocks[row]!, address),
    });
  }
  return found;
}

/** Blocks of the older layout have no address: they follow each other. */
function blockRows({ blocks, history }: Shapes, list: number, start: bigint): BlockRow[] {
  if (Number.isNaN(list)) return [];
  const { columns } = blocks.rows;
  let next = start;
  return Array.from(blocks.lists.rows(list), (row) => {
    const past = Number.isNaN(columns.history[row]!) ? -1 : history.first(columns.history[row]!);
    const size = columns.size[row]!;
    const real = past >= 0 ? history.rows.columns.size[past]! : size;
    const requested = columns.requested[row]!;
    const own = columns.stack[row]!;
    const placed = !Number.isNaN(columns.low[row]!);
    const address = placed ? joined(columns.low[row]!, columns.high[row]!) : next;
    next = address + BigInt(Math.trunc(size));
    return {
      address,
      size,
      requested: Number.isNaN(requested) ? real : requested,
      state: columns.state[row]!,
      stack: own === NO_ID && past >= 0 ? history.rows.columns.stack[past]! : own,
      owner: columns.owner[row]!,
    };
  });
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

export function writeSegments(
  builder: RecordingBuilder,
  device: number,
  rows: readonly SegmentRow[],
): void {
  const segments = builder.table('segments');
  const blocks = builder.table('blocks');
  for (const { address, size, pool, kind, expandable, stack, ...segment } of rows) {
    segments.push([device, address, size, pool, kind, expandable, stack]);
    for (const block of segment.blocks) {
      const { requested, state, owner } = block;
      const place = [segments.rows - 1, block.address, block.size] as const;
      blocks.push([...place, requested, state, block.stack, owner]);
    }
  }
}

export function joined(low: number, high: number): bigint {
  return (BigInt(high) << 32n) | BigInt(low);
}
