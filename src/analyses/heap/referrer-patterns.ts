import type { NodeSet } from '../../model/heap/node-set.ts';
import type { Heap } from './heap.ts';

/** By the set of kinds that refer to an object, whatever their number (Heapy's `byrcs`). */
export function referrerPatterns(heap: Heap, set: NodeSet) {
  const { nodes, strings } = heap.graph;
  const { first, from } = heap.referrers();
  const patterns: (readonly number[])[] = [];
  const known = new Map<number | string, number>();
  // The set's member that a kind was last seen at, so that each counts once.
  const seenAt = new Uint32Array(strings.count);
  const keys = new Uint32Array(set.length);
  const kinds: number[] = [];
  for (let i = 0; i < set.length; i++) {
    const node = set[i]!;
    kinds.length = 0;
    for (let row = first[node]!; row < first[node + 1]!; row++) {
      const kind = nodes.kind[from[row]!]!;
      if (seenAt[kind] === i + 1) continue;
      seenAt[kind] = i + 1;
      kinds.push(kind);
    }
    if (kinds.length > 1) kinds.sort((a, b) => a - b);
    const name = kinds.length === 1 ? kinds[0]! : kinds.join(' ');
    let key = known.get(name);
    if (key === undefined) {
      key = patterns.push([...kinds]) - 1;
      known.set(name, key);
    }
    keys[i] = key;
  }
  return {
    keys,
    label(key: number): string {
      const names = patterns[key]!.map((kind) => strings.text(kind)).sort();
      return names.length === 0 ? '<Nothing>' : names.join(', ');
    },
  };
}
