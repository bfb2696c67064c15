import { NO_ID } from '../../model/allocations/actions.ts';
import type { RecordingBuilder } from '../../model/builder.ts';
import type { PickleValue } from '../pickle/values.ts';
import { type BlockRow, joined, type SegmentRow } from './final-state.ts';
import { listOf } from './lists.ts';
import type { Blocks, History, Segments } from './shapes.ts';

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
