import { UserError } from '../../base/errors.ts';
import type { NodeSet } from '../../model/heap/node-set.ts';
import { briefOf } from './brief.ts';
import type { Heap } from './heap.ts';
import { moduleKeys } from './modules.ts';
import { referrerPatterns } from './referrer-patterns.ts';

/** How a set is told apart. */
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
