import type { Flame } from '../../../analyses/allocations/flame/index.ts';

/** A node of the tree as it is drawn, widths as shares of the whole. */
export interface FlameBox {
  readonly node: number;
  readonly depth: number;
  readonly from: number;
  readonly wide: number;
}

/** What a box is as wide as: in a comparison both sides count, so that what went away is seen as well. */
export const weightOf = ({ bytes, beforeBytes }: Flame, node: number) =>
  bytes[node]! + (beforeBytes?.[node] ?? 0);

/** From the outermost callers down; `focus` and its callers fill the width (-1: all roots). Boxes narrower than `least` are left out. */
export function flameBoxes(flame: Flame, focus: number, least: number): FlameBox[] {
  const children = childrenOf(flame);
  const boxes: FlameBox[] = [];
  const chain = callersOf(flame, focus);
  for (const [depth, node] of chain.entries()) boxes.push({ node, depth, from: 0, wide: 1 });
  const place = (nodes: readonly number[], depth: number, from: number, perWeight: number) => {
    let at = from;
    for (const node of nodes) {
      const wide = weightOf(flame, node) * perWeight;
      if (wide >= least) {
        boxes.push({ node, depth, from: at, wide });
        place(children.get(node) ?? [], depth + 1, at, perWeight);
      }
      at += wide;
    }
  };
  const roots = focus < 0 ? (children.get(-1) ?? []) : (children.get(focus) ?? []);
  const whole =
    focus < 0
      ? roots.reduce((sum, node) => sum + weightOf(flame, node), 0)
      : weightOf(flame, focus);
  if (whole > 0) place(roots, chain.length, 0, 1 / whole);
  return boxes;
}

/** A node with those above it, the outermost first; none for -1. */
export function callersOf({ parent }: Flame, node: number): number[] {
  const chain: number[] = [];
  for (let at = node; at >= 0 && at < parent.length; at = parent[at]!) chain.unshift(at);
  return chain;
}

function childrenOf(flame: Flame): Map<number, number[]> {
  const children = new Map<number, number[]>();
  flame.parent.forEach((parent, node) => {
    const list = children.get(parent);
    if (list) list.push(node);
    else children.set(parent, [node]);
  });
  for (const list of children.values()) {
    list.sort((a, b) => weightOf(flame, b) - weightOf(flame, a));
  }
  return children;
}

export interface Matches {
  readonly nodes: ReadonlySet<number>;
  /** Below the outermost of them. */
  readonly bytes: number;
  /** Of all that is shown. */
  readonly shownBytes: number;
}

/** Nodes within `focus` (-1: all) whose function or file has the text in it. */
export function matches(flame: Flame, text: string, focus: number): Matches {
  const word = text.toLowerCase();
  const frames = flame.frames.map(({ function: name, file }) =>
    `${name}\n${file}`.toLowerCase().includes(word),
  );
  const nodes = new Set<number>();
  const [shown, under] = [1, 2];
  const state = new Uint8Array(flame.parent.length);
  let bytes = 0;
  for (const [node, parent] of flame.parent.entries()) {
    const above = parent >= 0 ? state[parent]! : focus < 0 ? shown : 0;
    const inside = (above & shown) !== 0 || node === focus;
    if (!inside) continue;
    const own = frames[flame.frame[node]!]!;
    if (own) nodes.add(node);
    if (own && !(above & under)) bytes += flame.bytes[node]!;
    state[node] = shown | (own || above & under ? under : 0);
  }
  return { nodes, bytes, shownBytes: focus < 0 ? flame.totalBytes : flame.bytes[focus]! };
}
