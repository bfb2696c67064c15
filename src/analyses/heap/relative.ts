import { UserError } from '../../base/errors.ts';
import { firstFrom } from '../../base/search.ts';
import type { HeapGraph } from '../../model/heap/graph.ts';
import type { NodeSet } from '../../model/heap/node-set.ts';
import type { Heap } from './heap.ts';

/**
 * Where a larger share of common ids is of another kind, ids do not name the same objects. V8 never uses an
 * id twice; a Python object's id is its address, which another may have got since.
 */
const MOST_MISNAMED = { v8: 0.02, python: 0.5 } as const;
/** Heaps of one process have most of its runtime's objects in common. */
const FEWEST_COMMON = 0.05;

/** The objects of a heap by id and kind: all that must be kept of it to find later what is new. */
export interface Identities {
  readonly runtime: HeapGraph['runtime'];
  /** Ascending. */
  readonly ids: Float64Array;
  /** Side by side with `ids`. */
  readonly kinds: Uint32Array;
  readonly kindTexts: ReadonlyMap<number, string>;
}

export function identitiesOf({ graph, objects }: Heap): Identities {
  const { id, kind } = graph.nodes;
  let sorted = true;
  for (let i = 1; i < objects.length && sorted; i++)
    sorted = id[objects[i - 1]!]! <= id[objects[i]!]!;
  const order = sorted ? objects : objects.slice().sort((a, b) => id[a]! - id[b]!);
  const kinds = Uint32Array.from(order, (node) => kind[node]!);
  return {
    runtime: graph.runtime,
    ids: Float64Array.from(order, (node) => id[node]!),
    kinds,
    kindTexts: new Map([...new Set(kinds)].map((one) => [one, graph.strings.text(one)])),
  };
}

/**
 * Members that the other heap does not have, by identity: `heapA - heapB`, and a relative heap. Throws
 * where ids of the two do not name the same objects.
 */
export function minusHeap(heap: Heap, set: NodeSet, other: Identities): NodeSet {
  const { reason, isIn } = matchOf(heap, other);
  if (reason !== null) {
    throw new UserError(reason, { hint: 'highwater heap A B compares them by kind' });
  }
  return set.filter((node) => !isIn(node));
}

/**
 * Why objects of two heaps cannot be matched by id; null: they can. V8 numbers anew when a debugger
 * leaves, so that two heaps of one process may use a number for two objects: then kinds disagree.
 */
export function whyNotComparable(heap: Heap, other: Identities): string | null {
  return matchOf(heap, other).reason;
}

interface Match {
  readonly reason: string | null;
  /** Whether the other heap has an object of the same id and kind. */
  isIn(node: number): boolean;
}
const matches = new WeakMap<Heap, WeakMap<Identities, Match>>();

function matchOf(heap: Heap, other: Identities): Match {
  const known = matches.get(heap)?.get(other);
  if (known) return known;
  const made = match(heap, other);
  const of = matches.get(heap) ?? new WeakMap<Identities, Match>();
  of.set(other, made);
  matches.set(heap, of);
  return made;
}

function match(heap: Heap, other: Identities): Match {
  const { nodes, runtime } = heap.graph;
  if (runtime !== other.runtime) {
    return { reason: 'heaps of Python and of V8 have no objects in common', isIn: () => false };
  }
  const { ids, kinds } = other;
  const kindOf = sameKinds(heap, other);
  const found = (node: number) => {
    const at = firstFrom(ids, nodes.id[node]!);
    return ids[at] === nodes.id[node] ? at : -1;
  };
  const isNamesake = (node: number, at: number) => kindOf.get(kinds[at]!) === nodes.kind[node];
  let [common, misnamed] = [0, 0];
  for (let i = 0; i < heap.objects.length; i++) {
    const node = heap.objects[i]!;
    const at = found(node);
    if (at < 0) continue;
    common++;
    if (!isNamesake(node, at)) misnamed++;
  }
  const few = common < FEWEST_COMMON * Math.min(heap.objects.length, ids.length);
  const reason = few
    ? 'the two heaps have hardly an object in common'
    : misnamed > MOST_MISNAMED[runtime] * common
      ? 'the two heaps number their objects differently: they are not of one session'
      : null;
  return {
    reason,
    isIn(node) {
      const at = found(node);
      return at >= 0 && (runtime === 'v8' || isNamesake(node, at));
    },
  };
}

/** Kinds of the other heap as numbers of this one's, so that texts are compared once a kind. */
function sameKinds({ graph }: Heap, { kindTexts }: Identities): Map<number, number> {
  const byText = new Map<string, number>();
  for (const kind of new Set(graph.nodes.kind)) byText.set(graph.strings.text(kind), kind);
  return new Map([...kindTexts].map(([kind, text]) => [kind, byText.get(text) ?? -1]));
}
