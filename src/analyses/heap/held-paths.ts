import { formatBytes } from '../../base/bytes.ts';
import { count as counted } from '../../base/text.ts';
import { shortText } from '../../model/heap/edge-text.ts';
import type { HeldPath, HeldPaths } from '../../model/heap/held-path.ts';
import { marksOf } from '../../model/heap/node-set.ts';
import type { Heap } from './heap.ts';
import { isText } from './object-labels.ts';

/** Deeper holders are counted with the one above them: lists of millions of links are no path for a person. */
const MOST_DEPTH = 64;
/** Objects that retain less than this part of all are told apart by their kind only. */
const NAMED_PART = 1 / 20_000;

/** A tree of paths, as columns; 0 is above all. */
interface Tree {
  readonly parent: number[];
  readonly label: number[];
  readonly depth: number[];
  readonly objects: number[];
  readonly bytes: number[];
}

/**
 * The dominator tree, with objects of a kind below the same holder taken together: every byte stands once, at its own object,
 * and what stands below a holder is what it retains. A kind that holds its own kind is one step.
 */
export function heldPaths(heap: Heap, name: string): HeldPaths {
  const { graph } = heap;
  const { count, size, kind, name: nameOf, type } = graph.nodes;
  const { dominator, retained, order } = heap.dominators();
  const counts = marksOf(heap.objects, count);
  const total = heap.objects.reduce((sum, node) => sum + size[node]!, 0);
  const labels = new Labels();
  const tree: Tree = { parent: [0], label: [-1], depth: [0], objects: [0], bytes: [0] };
  const children = new Map<number, number>();
  const pathOf = new Uint32Array(count + 1);
  const texts = graph.types.map(isText);
  for (let i = 0; i < order.length; i++) {
    const node = order[i]!;
    const above = pathOf[dominator[node]!]!;
    let path = above;
    // What V8 makes up to hang its roots on is no holder.
    if (counts[node] === 1) {
      const named = retained[node]! >= total * NAMED_PART && !texts[type[node]!];
      const label = labels.of(kind[node]!, named ? nameOf[node]! : 0);
      if (tree.label[above] !== label) path = step(tree, children, above, label);
      tree.objects[path]!++;
      tree.bytes[path]! += size[node]!;
    }
    pathOf[node] = path;
  }
  const text = (label: number) => labels.text(label, (id) => graph.strings.text(id));
  return {
    about: aboutOf(heap, name, total),
    taken: graph.about.taken ?? null,
    objects: heap.objects.length,
    bytes: total,
    paths: rowsOf(tree, text),
  };
}

function step(tree: Tree, children: Map<number, number>, above: number, label: number): number {
  if (tree.depth[above]! >= MOST_DEPTH) return above;
  const key = above * 2 ** 26 + label;
  let found = children.get(key);
  if (found === undefined) {
    found = tree.parent.length;
    children.set(key, found);
    tree.parent.push(above);
    tree.label.push(label);
    tree.depth.push(tree.depth[above]! + 1);
    tree.objects.push(0);
    tree.bytes.push(0);
  }
  return found;
}

function rowsOf(tree: Tree, text: (label: number) => string): HeldPath[] {
  const rows: HeldPath[] = [];
  for (let at = 1; at < tree.parent.length; at++) {
    const path: string[] = [];
    for (let up = at; up !== 0; up = tree.parent[up]!) path.unshift(text(tree.label[up]!));
    rows.push({ path, objects: tree.objects[at]!, bytes: tree.bytes[at]! });
  }
  return rows.sort((a, b) => b.bytes - a.bytes);
}

/** Pairs of a kind and a name (0: none), each with a small number. */
class Labels {
  readonly #numbers = new Map<number, Map<number, number>>();
  readonly #pairs: (readonly [kind: number, name: number])[] = [];

  of(kind: number, name: number): number {
    let byName = this.#numbers.get(kind);
    if (!byName) {
      byName = new Map();
      this.#numbers.set(kind, byName);
    }
    let found = byName.get(name);
    if (found === undefined) {
      found = this.#pairs.push([kind, name]) - 1;
      byName.set(name, found);
    }
    return found;
  }

  text(label: number, string: (id: number) => string): string {
    const [kind, name] = this.#pairs[label]!;
    const [of, own] = [string(kind) || '(no kind)', name === 0 ? '' : shortText(string(name))];
    return own === '' || own === of ? of : `${of} ${own}`;
  }
}

function aboutOf({ graph, objects }: Heap, name: string, total: number): string[] {
  const { version, pid } = graph.about;
  const what = `${counted(objects.length, 'object')}, ${formatBytes(total)} in all`;
  const of = [version, pid === undefined ? null : `pid ${pid}`].filter(Boolean).join(', ');
  return [name, ...(of ? [of] : []), `${what}; below each holder stands what only it keeps alive`];
}
