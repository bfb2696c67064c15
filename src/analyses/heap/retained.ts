import { marksOf, type NodeSet } from '../../model/heap/node-set.ts';
import type { Heap } from './heap.ts';
import type { Partition } from './partition.ts';

const MASK_BITS = 32;

/** Bytes that would go with a set: what its members keep alive, each byte once. */
export function retainedSize(heap: Heap, set: NodeSet): number {
  const { dominator, retained, order } = heap.dominators();
  const { count } = heap.graph.nodes;
  const member = marksOf(set, count);
  // Members below another member are in its figure already.
  const covered = new Uint8Array(count + 1);
  let sum = 0;
  for (let i = 0; i < order.length; i++) {
    const node = order[i]!;
    const above = dominator[node]!;
    if (above < count && (covered[above] === 1 || member[above] === 1)) covered[node] = 1;
    else if (member[node] === 1) sum += retained[node]!;
  }
  return sum;
}

/**
 * The same for each row of a partition, or for the first `most` of them. Rows overlap: what a list holds is
 * held by its owner too.
 */
export function retainedByRow(partition: Partition, most = partition.rows): Float64Array {
  const rows = Math.min(most, partition.rows);
  return rows <= MASK_BITS ? retainedOfFew(partition, rows) : retainedOfAll(partition);
}

/** So few rows that those above a node fit one number: a single pass, and no tree is needed. */
function retainedOfFew({ heap, set, rowOf }: Partition, rows: number): Float64Array {
  const { dominator, retained, order } = heap.dominators();
  const { count } = heap.graph.nodes;
  const bits = new Int32Array(count);
  for (let i = 0; i < set.length; i++) if (rowOf[i]! < rows) bits[set[i]!] = 1 << rowOf[i]!;
  const sums = new Float64Array(rows);
  for (let i = 0; i < order.length; i++) {
    const node = order[i]!;
    const above = dominator[node]!;
    const mine = bits[node]!;
    const over = above < count ? bits[above]! : 0;
    if ((mine & ~over) !== 0) sums[31 - Math.clz32(mine)]! += retained[node]!;
    bits[node] = mine | over;
  }
  return sums;
}

function retainedOfAll({ heap, set, rowOf, rows }: Partition): Float64Array {
  const { dominator, retained } = heap.dominators();
  const { count } = heap.graph.nodes;
  const row = new Uint32Array(count);
  for (let i = 0; i < set.length; i++) row[set[i]!] = rowOf[i]! + 1;
  const { firstChild, nextSibling } = childrenOf(dominator, count);
  const open = new Uint32Array(rows + 1);
  const sums = new Float64Array(rows + 1);
  let node = firstChild[count]!;
  while (node !== 0) {
    const at = node - 1;
    const mine = row[at]!;
    if (mine !== 0 && open[mine]!++ === 0) sums[mine]! += retained[at]!;
    if (firstChild[at] !== 0) {
      node = firstChild[at]!;
      continue;
    }
    node = leave(at, row, open, nextSibling, dominator, count);
  }
  return sums.subarray(1);
}

/** Out of a node and of all above it that are done; the next one to enter, 0 at the end. */
function leave(
  from: number,
  row: Uint32Array,
  open: Uint32Array,
  nextSibling: Uint32Array,
  dominator: Uint32Array,
  count: number,
): number {
  for (let at = from; at < count; at = dominator[at]!) {
    if (row[at] !== 0) open[row[at]!]!--;
    if (nextSibling[at] !== 0) return nextSibling[at]!;
  }
  return 0;
}

/** The tree of dominators as lists; numbers are nodes + 1, and 0 ends a list. */
function childrenOf(dominator: Uint32Array, count: number) {
  const firstChild = new Uint32Array(count + 1);
  const nextSibling = new Uint32Array(count);
  for (let node = count - 1; node >= 0; node--) {
    const above = dominator[node]!;
    nextSibling[node] = firstChild[above]!;
    firstChild[above] = node + 1;
  }
  return { firstChild, nextSibling };
}
