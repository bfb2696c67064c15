import type { HeapStat } from '../../../model/heap/stat.ts';
import type { Heap } from '../heap.ts';
import { whyNotComparable } from '../relative.ts';
import { HEAP_SCHEMA } from '../table.ts';
import { type ContainerGrowth, grownContainers } from './containers.ts';
import { type GrowthRow, grownKinds } from './kinds.ts';
import { type Look, lookAt } from './look.ts';
import type { Roll } from './roll.ts';

export type { ContainerGrowth, NewKind } from './containers.ts';
export type { HolderCount } from './holders.ts';
export type { GrowthRow } from './kinds.ts';
export { type Roll, rollOf } from './roll.ts';

/** Two heaps cannot tell growth from chance: what looked like a leak has fallen back in the third. */
export const FEWEST_HEAPS = 3;

/** Who holds more than in the first heap. */
export interface GrownPlaces {
  /** The places of the program's that hold more, the one with most first; null: `notMatched` says why. */
  readonly containers: readonly ContainerGrowth[] | null;
  /** Bytes of code and shapes that the runtime made for what was there before; null as above. */
  readonly runtimeBytes: number | null;
  /** Why objects of the heaps cannot be told to be the same. */
  readonly notMatched: string | null;
}

/** What grows over three or more heaps of one process. */
export interface HeapGrowth extends GrownPlaces {
  readonly type: 'heap-growth';
  readonly schemaVersion: number;
  readonly heaps: readonly { readonly count: number; readonly size: number }[];
  readonly rows: readonly GrowthRow[];
  /** Kinds that grew by less than is worth a line. */
  readonly small: number;
}

/** `stats` are all heaps in order, by kind; `rolls` the objects of all but the last, none where they were opened light. */
export function growthOf(
  stats: readonly HeapStat[],
  rolls: readonly Roll[],
  last: Heap,
): HeapGrowth {
  const { look, ...places } = grownPlaces(rolls, last);
  return {
    type: 'heap-growth',
    schemaVersion: HEAP_SCHEMA,
    heaps: stats.map(({ count, size }) => ({ count, size })),
    ...grownKinds(stats, last, look),
    ...places,
  };
}

export function placesBetween(rolls: readonly Roll[], last: Heap): GrownPlaces {
  const { look: _, ...places } = grownPlaces(rolls, last);
  return places;
}

function grownPlaces(rolls: readonly Roll[], last: Heap): GrownPlaces & { look: Look | null } {
  const first = rolls[0];
  const notMatched =
    first === undefined ? 'the heaps were opened light' : whyNotComparable(last, first);
  if (notMatched !== null) {
    return { containers: null, runtimeBytes: null, notMatched, look: null };
  }
  const look = lookAt(rolls, last);
  const containers = grownContainers(look);
  return { containers, runtimeBytes: look.change.engine, notMatched: null, look };
}
