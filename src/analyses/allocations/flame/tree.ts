import type { Frame } from '../../../model/allocations/names.ts';

/** What one call stack made; the outermost frame first. */
export interface CallSite {
  readonly path: readonly Frame[];
  readonly bytes: number;
  readonly allocations: number;
}

interface Node {
  readonly parent: Node | null;
  readonly frame: number;
  readonly children: Map<number, Node>;
  after: number;
  before: number;
  allocations: number;
}

/** Frames are the same when they read the same, so that two runs meet in one tree. */
export class FrameTree {
  readonly frames: Frame[] = [];
  readonly #known = new Map<string, number>();
  readonly #roots = new Map<number, Node>();
  /** Callers before those they call. */
  readonly #all: Node[] = [];

  add({ path, bytes, allocations }: CallSite, side: 'after' | 'before'): void {
    let parent: Node | null = null;
    for (const frame of path) {
      const node: Node = this.#child(parent, this.#frameId(frame));
      node[side] += bytes;
      if (side === 'after') node.allocations += allocations;
      parent = node;
    }
  }

  total(side: 'after' | 'before'): number {
    return [...this.#roots.values()].reduce((sum, node) => sum + node[side], 0);
  }

  /** A node is never larger than its parent, so none is kept whose parent is not. */
  largest(most: number): { kept: readonly Node[]; pruned: number } {
    if (this.#all.length <= most) return { kept: this.#all, pruned: 0 };
    const weights = Float64Array.from(this.#all, weight).sort();
    const least = weights[weights.length - most]!;
    const kept = this.#all.filter((node) => weight(node) > least);
    return { kept, pruned: this.#all.length - kept.length };
  }

  #child(parent: Node | null, frame: number): Node {
    const siblings = parent ? parent.children : this.#roots;
    let node = siblings.get(frame);
    if (!node) {
      node = { parent, frame, children: new Map(), after: 0, before: 0, allocations: 0 };
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

const weight = ({ after, before }: Node) => after + before;
