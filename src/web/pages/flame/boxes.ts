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

/** Nodes whose function or file has the text in it, and the bytes below the outermost of them. */
export function matches(flame: Flame, text: string): { nodes: ReadonlySet<number>; bytes: number } {
  const word = text.toLowerCase();
  const frames = flame.frames.map(({ function: name, file }) =>
    `${name}\n${file}`.toLowerCase().includes(word),
  );
  const nodes = new Set<number>();
  const under = new Uint8Array(flame.parent.length);
  let bytes = 0;
  flame.parent.forEach((parent, node) => {
    const above = parent >= 0 && under[parent] === 1;
    const own = frames[flame.frame[node]!]!;
    if (own) nodes.add(node);
    if (own && !above) bytes += flame.bytes[node]!;
    under[node] = own || above ? 1 : 0;
  });
  return { nodes, bytes };
}
