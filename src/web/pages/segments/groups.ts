import type { Category } from '../../../analyses/allocations/evidence/reasons.ts';
import type { LayoutHeader } from '../../../analyses/allocations/layout.ts';
import { formatBytes } from '../../../base/bytes.ts';
import { count } from '../../../base/text.ts';
import type { Columns } from '../../../model/columns.ts';
import { byStackOrder } from '../../../model/memory-kinds.ts';

/** Segments of one pool and stream, told together. */
export interface SegmentGroup {
  /** For the address. */
  readonly key: string;
  readonly name: string;
  /** Positions in the layout, in the order that was asked for. */
  readonly segments: readonly number[];
  readonly bytes: number;
  readonly freeBytes: number;
  readonly holes: number;
  readonly largestHoleBytes: number;
  readonly blocks: number;
  /** In the order of a stack. */
  readonly live: readonly { readonly category: Category; readonly bytes: number }[];
}

const UNKNOWN_POOL = 'a pool that is not known';

/** `chosen`: positions of segments; `blocks`: positions in the columns, by segment. The largest group first. */
export function segmentGroups(
  layout: Columns<LayoutHeader>,
  chosen: readonly number[],
  blocks: readonly (readonly number[])[],
): SegmentGroup[] {
  const found = new Map<string, number[]>();
  for (const i of chosen) {
    const { pool, expandable } = layout.header.segments[i]!;
    const name = `${pool ?? UNKNOWN_POOL}${expandable ? ', expandable' : ''}`;
    const list = found.get(name);
    if (list) list.push(i);
    else found.set(name, [i]);
  }
  return [...found]
    .map(([name, segments]) => groupOf(name, segments, layout, blocks))
    .sort((a, b) => b.bytes - a.bytes);
}

function groupOf(
  name: string,
  segments: readonly number[],
  layout: Columns<LayoutHeader>,
  blocks: readonly (readonly number[])[],
): SegmentGroup {
  const { header } = layout;
  const facts = segments.map((i) => header.segments[i]!);
  const sum = (of: (one: (typeof facts)[number]) => number) =>
    facts.reduce((all, one) => all + of(one), 0);
  const [size, reason] = [layout.f64('size'), layout.u8('reason')];
  const live = new Map<Category, number>();
  for (const block of segments.flatMap((i) => blocks[i]!)) {
    const { category } = header.reasons[reason[block]!]!;
    live.set(category, (live.get(category) ?? 0) + size[block]!);
  }
  return {
    key: name.replaceAll(' ', '-'),
    name,
    segments,
    bytes: sum(({ bytes }) => bytes),
    freeBytes: sum(({ freeBytes }) => freeBytes),
    holes: sum(({ holes }) => holes),
    largestHoleBytes: Math.max(...facts.map(({ largestHoleBytes }) => largestHoleBytes)),
    blocks: sum(({ blocks: live }) => live),
    live: [...live]
      .map(([category, bytes]) => ({ category, bytes }))
      .sort((a, b) => byStackOrder(a.category, b.category)),
  };
}

export function groupWords(group: SegmentGroup): string {
  const { name, segments, bytes, blocks, freeBytes, holes, largestHoleBytes } = group;
  const free =
    freeBytes === 0
      ? 'full'
      : `${formatBytes(freeBytes)} free in ${count(holes, 'hole')}, the largest ${formatBytes(largestHoleBytes)}`;
  return `${name}: ${count(segments.length, 'segment')}, ${formatBytes(bytes)}, ${count(blocks, 'live block')}, ${free}`;
}
