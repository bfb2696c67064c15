import type { Way } from './classifier.ts';
import { type GrownPlaces, type GrowthRow, growthOf, rollOf } from './growth/index.ts';
import type { Heap } from './heap.ts';
import { partitionOf } from './partition.ts';
import { identitiesOf, whyNotComparable } from './relative.ts';
import { type StatDifference, statDifference, statOf } from './stat.ts';

/** What a heap has more of than an earlier one, and who holds that. */
export interface HeapSince extends StatDifference, GrownPlaces {
  /** Kinds that grew by more than a crumb, those whose new objects hold most first. */
  readonly kinds: readonly GrowthRow[];
}

/** As `highwater heap EARLIER LATER` tells it: the later less the earlier, and the places that hold more. */
export function heapSince(later: Heap, earlier: Heap, by: Way): HeapSince {
  const stat = (heap: Heap, way: Way) => statOf(partitionOf(heap, heap.objects, way), 0);
  const kinds = [stat(earlier, 'kind'), stat(later, 'kind')];
  const growth = growthOf(kinds, [rollOf(earlier)], later);
  const { containers, runtimeBytes, notMatched, rows } = growth;
  return {
    ...statDifference(stat(later, by), stat(earlier, by)),
    ...{ containers, runtimeBytes, notMatched },
    kinds: rows,
  };
}

/**
 * Whether one was taken before the other; null: nothing tells. A file of V8 has no time but that of its last copy;
 * ids it hands out in rising order.
 */
export function isEarlier(one: Heap, other: Heap): boolean | null {
  if (one.graph.runtime !== other.graph.runtime) return null;
  if (one.graph.runtime === 'v8') {
    if (whyNotComparable(one, identitiesOf(other)) !== null) return null;
    return highestId(one) < highestId(other);
  }
  const [a, b] = [one.graph.about.taken, other.graph.about.taken];
  return a === undefined || b === undefined || a === b ? null : a < b;
}

const highestId = ({ graph: { nodes } }: Heap) => nodes.id.reduce((most, id) => Math.max(most, id));
