import type { Frame } from '../../../model/allocations/names.ts';
import { type CallSite, FrameTree } from './tree.ts';

/** Bytes by call stack, as a tree: a node stands before those it calls, a root has parent -1. */
export interface Flame {
  readonly type: 'flame';
  readonly frames: readonly Frame[];
  readonly parent: readonly number[];
  /** Index of `frames`. */
  readonly frame: readonly number[];
  /** Of the node and all it calls. */
  readonly bytes: readonly number[];
  readonly allocations: readonly number[];
  /** The same of what it is compared with; null when there is no such thing. */
  readonly beforeBytes: readonly number[] | null;
  /** Where stacks end, by what was made there. */
  readonly ends: FlameEnds;
  readonly totalBytes: number;
  readonly totalBeforeBytes: number | null;
  /** Nodes too small to be looked at, whose bytes only those above them have. */
  readonly prunedNodes: number;
}

/** Columns: what was made right at a node, of one category. */
export interface FlameEnds {
  readonly node: readonly number[];
  /** Index of CATEGORIES. */
  readonly category: readonly number[];
  readonly bytes: readonly number[];
  readonly allocations: readonly number[];
  readonly beforeBytes: readonly number[] | null;
}

/** More nodes than anybody could look at are left out, the smallest of them. */
const MOST_NODES = 40_000;

export function flame(after: Iterable<CallSite>, before: Iterable<CallSite> | null): Flame {
  const tree = new FrameTree();
  for (const site of after) tree.add(site, 'after');
  for (const site of before ?? []) tree.add(site, 'before');
  const { kept, pruned } = tree.largest(MOST_NODES);
  const position = new Map(kept.map((node, i) => [node, i]));
  const ends = kept.flatMap((node, at) =>
    [...node.ends].map(([category, end]) => ({ at, category, ...end })),
  );
  return {
    type: 'flame',
    frames: tree.frames,
    parent: kept.map((node) => (node.parent ? position.get(node.parent)! : -1)),
    frame: kept.map((node) => node.frame),
    bytes: kept.map((node) => node.after),
    allocations: kept.map((node) => node.allocations),
    beforeBytes: before ? kept.map((node) => node.before) : null,
    ends: {
      node: ends.map(({ at }) => at),
      category: ends.map(({ category }) => category),
      bytes: ends.map((end) => end.after),
      allocations: ends.map((end) => end.allocations),
      beforeBytes: before ? ends.map((end) => end.before) : null,
    },
    totalBytes: tree.total('after'),
    totalBeforeBytes: before ? tree.total('before') : null,
    prunedNodes: pruned,
  };
}
