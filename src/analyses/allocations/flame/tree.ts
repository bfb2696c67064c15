import type { Frame } from '../../../model/allocations/names.ts';
import { CATEGORIES, type Category } from '../evidence/reasons.ts';

/** What one call stack made; the outermost frame first. */
export interface CallSite {
  readonly path: readonly Frame[];
  readonly bytes: number;
  readonly allocations: number;
  readonly category?: Category;
}

type Side = 'after' | 'before';

/** What was made right at a node, by category (an index of CATEGORIES). */
type End = Record<Side | 'allocations', number>;

export interface TreeNode {
  readonly parent: TreeNode | null;
  readonly frame: number;
  readonly children: Map<number, TreeNode>;
  readonly ends: Map<number, End>;
  after: number;
  before: number;
  allocations: number;
}

/** Frames are the same when they read the same, so that two runs meet in one tree. */
export class FrameTree {
  readonly frames: Frame[] = [];
  readonly #known = new Map<string, number>();
  readonly #roots = new Map<number, TreeNode>();
  /** Callers before those they call. */
  readonly #all: TreeNode[] = [];

  add({ path, bytes, allocations, category = 'unknown' }: CallSite, side: Side): void {
    let parent: TreeNode | null = null;
    for (const frame of path) {
      const node: TreeNode = this.#child(parent, this.#frameId(frame));
      node[side] += bytes;
      if (side === 'after') node.allocations += allocations;
      parent = node;
    }
    if (!parent) return;
    const end = endAt(parent, CATEGORIES.indexOf(category));
    end[side] += bytes;
    if (side === 'after') end.allocations += allocations;
  }

  total(side: Side): number {
    return [...this.#roots.values()].reduce((sum, node) => sum + node[side], 0);
  }

  /** A node is never larger than its parent, so none is kept whose parent is not. What ends at others ends at their callers. */
  largest(most: number): { kept: readonly TreeNode[]; pruned: number } {
    if (this.#all.length <= most) return { kept: this.#all, pruned: 0 };
    const weights = Float64Array.from(this.#all, weight).sort();
    const least = weights[weights.length - most]!;
    const kept = this.#all.filter((node) => weight(node) > least);
    for (const node of this.#all.toReversed()) {
      if (weight(node) > least || !node.parent) continue;
      for (const [category, { after, before, allocations }] of node.ends) {
        const end = endAt(node.parent, category);
        end.after += after;
        end.before += before;
        end.allocations += allocations;
      }
    }
    return { kept, pruned: this.#all.length - kept.length };
  }

  #child(parent: TreeNode | null, frame: number): TreeNode {
    const siblings = parent ? parent.children : this.#roots;
    let node = siblings.get(frame);
    if (!node) {
      const empty = { children: new Map(), ends: new Map() };
      node = { parent, frame, ...empty, after: 0, before: 0, allocations: 0 };
      siblings.set(frame, node);
      this.#all.push(node);
    }
    return node;
  }

  #frameId(frame: Frame): number {
    const key = `${frame.line} ${frame.file}\0${frame.function}`;
    let id = this.#known.get(key);
    if (id === undefined) {
      id = this.frames.push(frame) - 1;
      this.#known.set(key, id);
    }
    return id;
  }
}

function endAt({ ends }: TreeNode, category: number): End {
  let end = ends.get(category);
  if (!end) {
    end = { after: 0, before: 0, allocations: 0 };
    ends.set(category, end);
  }
  return end;
}

const weight = ({ after, before }: TreeNode) => after + before;
