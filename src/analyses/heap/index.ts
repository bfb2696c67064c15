/** Questions to a heap: docs/heap.md. A Heap and a NodeSet go in, plain data tagged `type` comes out. */

export { parseWay, WAYS, type Way } from './classifier.ts';
export {
  type ContainerGrowth,
  FEWEST_HEAPS,
  type GrownPlaces,
  type GrowthRow,
  growthOf,
  type HeapGrowth,
  placesBetween,
  type Roll,
  rollOf,
} from './growth/index.ts';
export { type Heap, type HeapOptions, heapOf } from './heap.ts';
export { heldPaths } from './held-paths.ts';
export { type HeapHolders, holdersOf } from './holders.ts';
export { referentsOf, referrersOfSet } from './neighbours.ts';
export { briefOf, kindName } from './object-labels.ts';
export { membersOf, type Partition, partitionOf } from './partition.ts';
export { type HeapPath, type HeapPaths, pathsTo } from './paths.ts';
export { type Identities, identitiesOf, minusHeap, whyNotComparable } from './relative.ts';
export { retainedByRow, retainedSize } from './retained.ts';
export { type HeapSince, heapSince, isEarlier } from './since.ts';
export { type StatDifference, statDifference, statOf } from './stat.ts';
export { HEAP_SCHEMA, type HeapTable, PAGE_ROWS, pageEnd, tableOf } from './table.ts';
