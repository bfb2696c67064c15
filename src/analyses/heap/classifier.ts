import { UserError } from '../../base/errors.ts';
import type { NodeSet } from '../../model/heap/node-set.ts';
import type { Heap } from './heap.ts';
import { moduleKeys } from './modules.ts';
import { briefOf } from './object-labels.ts';

/** How a set is partitioned. */
export const WAYS = ['kind', 'type', 'size', 'rcs', 'module', 'id'] as const;
export type Way = (typeof WAYS)[number];

/** A key for each member of a set; members with the same key are a row. */
export interface Keys {
  /** Over the last column, as Heapy has it. */
  readonly header: string;
  /** Side by side with the set's members. */
  readonly keys: Uint32Array | Float64Array;
  label(key: number): string;
}

const KIND_HEADER = 'Kind (class / dict of class)';

export function keysOf(heap: Heap, set: NodeSet, way: Way): Keys {
  const { nodes, strings, types } = heap.graph;
  switch (way) {
    case 'kind':
      return {
        header: KIND_HEADER,
        keys: pick(nodes.kind, set),
        label: (key) => strings.text(key),
      };
    case 'type':
      return {
        header: 'Type',
        keys: pick(nodes.type, set),
        label: (key) => types[key] ?? `type ${key}`,
      };
    case 'size': {
      const keys = new Float64Array(set.length);
      for (let i = 0; i < set.length; i++) keys[i] = nodes.size[set[i]!]!;
      return { header: 'Individual Size', keys, label: (key) => String(key).padStart(9) };
    }
    case 'rcs':
      return { header: `Referrers by ${KIND_HEADER}`, ...referrerPatterns(heap, set) };
    case 'module':
      return { header: 'Module', ...moduleKeys(heap.graph, set) };
    case 'id':
      return { header: 'Brief', keys: set, label: (node) => briefOf(heap.graph, node) };
  }
}

/** By the set of kinds that refer to an object, whatever their number (Heapy's `byrcs`). */
function referrerPatterns(heap: Heap, set: NodeSet) {
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

function pick(column: Uint16Array | Uint32Array, set: NodeSet): Uint32Array {
  const keys = new Uint32Array(set.length);
  for (let i = 0; i < set.length; i++) keys[i] = column[set[i]!]!;
  return keys;
}

/** `module`, and Heapy's names for the same: `bymodule`, `byclodo`. */
export function parseWay(text: string): Way {
  const word = text.toLowerCase().replace(/^by\s*/, '');
  const known: Readonly<Record<string, Way>> = { clodo: 'kind', class: 'kind', referrers: 'rcs' };
  const way = known[word] ?? WAYS.find((one) => one === word);
  if (way) return way;
  throw new UserError(`a heap cannot be told apart by '${word}'`, {
    hint: `by ${WAYS.join(', ')}`,
  });
}
