import { describe, expect, it } from 'vitest';
import {
  heapOf,
  membersOf,
  partitionOf,
  retainedByRow,
  retainedSize,
} from '../../src/analyses/heap/index.ts';
import { dominatorsOf } from '../../src/model/heap/dominators.ts';
import type { HeapGraph } from '../../src/model/heap/graph.ts';
import { random } from '../support/random.ts';
import { fromLists, graphOf } from './graphs.ts';
import { dominatorsByPasses, retainedByRemoval } from './oracle.ts';

/** A graph of any shape: sparse or dense, with rings, weak references, orphans and several roots. */
function randomGraph(seed: number): HeapGraph {
  const next = random(seed);
  const below = (most: number) => Math.floor(next() * most);
  const count = 1 + below(60);
  const density = next() * 3;
  const lists = Array.from({ length: count }, () =>
    Array.from({ length: below(1 + density * 2) }, () => ({
      to: below(count),
      weak: next() < 0.1,
    })),
  );
  const sizes = lists.map(() => below(100));
  const roots = Array.from({ length: 1 + below(3) }, () => below(count));
  return fromLists(
    lists,
    sizes,
    lists.map((_, i) => `kind${'abc'[below(3)]}${i}`),
    roots,
  );
}

describe('dominators', () => {
  it('are those that both ways out of a fork meet at', () => {
    const graph = graphOf(`root -> a b
      a -> c(10)
      b -> c d(5)
      c -> e(100)`);
    const { dominator, retained, orphans } = dominatorsOf(graph);
    const named = (name: string) =>
      Array.from({ length: graph.nodes.count }, (_, n) => n).find(
        (n) => graph.strings.text(graph.nodes.name[n]!) === name,
      )!;
    expect(dominator[named('c')]).toBe(named('root'));
    expect(retained[named('c')]).toBe(110);
    expect(retained[named('b')]).toBe(6);
    expect(dominator[named('root')]).toBe(graph.nodes.count);
    expect(orphans).toBe(0);
  });

  it('leave weak references out, and count what no root reaches', () => {
    const graph = graphOf(`root -> ~a b
      a(50) -> c(7)
      ring1(3) -> ring2(4)
      ring2 -> ring1`);
    const { retained, orphans } = dominatorsOf(graph);
    expect(orphans).toBe(4);
    expect(retained[0]).toBe(2);
    expect(retained[1]).toBe(57);
    // Of a ring the one that comes first holds the other.
    expect([...retained.subarray(4)]).toEqual([7, 4]);
  });

  it('agree with taking each object out, on a thousand random graphs', () => {
    for (let seed = 1; seed <= 1000; seed++) {
      const graph = randomGraph(seed);
      const { retained, dominator } = dominatorsOf(graph);
      expect([...retained], `seed ${seed}`).toEqual(retainedByRemoval(graph));
      expect([...dominator], `seed ${seed}`).toEqual([...dominatorsByPasses(graph)]);
    }
  });

  it('do not need a deep stack: a chain of a million', () => {
    const count = 1_000_000;
    const graph = fromChain(count);
    const { retained } = dominatorsOf(graph);
    expect(retained[0]).toBe(count);
    expect(retained[count - 1]).toBe(1);
  });

  it('are found at once where a long way and a short one lead to many', () => {
    // A list whose last item holds many that the root holds too: to climb the list for each would take hours.
    const half = 150_000;
    const count = 2 * half + 1;
    const to = new Uint32Array(3 * half);
    const firstEdge = new Uint32Array(count + 1);
    let edge = 0;
    const add = (node: number, targets: Iterable<number>) => {
      for (const target of targets) to[edge++] = target;
      firstEdge[node + 1] = edge;
    };
    const many = Array.from({ length: half }, (_, i) => half + 1 + i);
    add(0, [1, ...many]);
    for (let node = 1; node < half; node++) add(node, [node + 1]);
    add(half, many);
    for (const node of many) add(node, []);
    const chain = fromChain(count);
    const edges = {
      count: edge,
      to,
      type: new Uint8Array(to.length),
      name: new Uint32Array(to.length),
    };
    const { dominator, retained } = dominatorsOf({
      ...chain,
      nodes: { ...chain.nodes, firstEdge },
      edges,
    });
    expect([retained[0], retained[1], retained[half]]).toEqual([count, half, 1]);
    expect(many.every((node) => dominator[node] === 0)).toBe(true);
  });
});

describe('retained sizes of sets', () => {
  it('are what goes when all members are taken out', () => {
    for (let seed = 1; seed <= 200; seed++) {
      const graph = randomGraph(seed);
      const heap = heapOf(graph);
      const kinds = partitionOf(heap);
      const rows = retainedByRow(kinds);
      for (let row = 0; row < kinds.rows; row++) {
        const members = membersOf(kinds, row);
        const { retained, dominator } = heap.dominators();
        // The plain way: members that have no member above them.
        const set = new Set(members);
        const above = (node: number): boolean => {
          for (let at = dominator[node]!; at < graph.nodes.count; at = dominator[at]!)
            if (set.has(at)) return true;
          return false;
        };
        const expected = [...members]
          .filter((node) => !above(node))
          .reduce((sum, node) => sum + retained[node]!, 0);
        expect(retainedSize(heap, members), `seed ${seed}`).toBe(expected);
        expect(rows[row], `seed ${seed}`).toBe(expected);
      }
    }
  });

  it('are the same for the first rows of many, and for all', () => {
    for (let seed = 1; seed <= 20; seed++) {
      const next = random(seed);
      const below = (most: number) => Math.floor(next() * most);
      const lists = Array.from({ length: 400 }, () =>
        Array.from({ length: below(4) }, () => ({ to: below(400), weak: false })),
      );
      const kinds = lists.map(() => `k${String.fromCharCode(97 + below(26))}${'xy'[below(2)]}`);
      const heap = heapOf(
        fromLists(
          lists,
          lists.map(() => 1 + below(50)),
          kinds,
          [0],
        ),
      );
      const partition = partitionOf(heap);
      expect(partition.rows).toBeGreaterThan(32);
      const all = retainedByRow(partition);
      const expected = Array.from({ length: partition.rows }, (_, row) =>
        retainedSize(heap, membersOf(partition, row)),
      );
      expect([...all], `seed ${seed}`).toEqual(expected);
      for (const most of [0, 1, 10, 32]) {
        expect([...retainedByRow(partition, most)], `seed ${seed}`).toEqual(
          expected.slice(0, most),
        );
      }
    }
  });

  it('are refused for a heap opened light', () => {
    const heap = heapOf(graphOf('root -> a'), { light: true });
    expect(() => retainedSize(heap, heap.objects)).toThrow(/opened light/);
    expect(() => retainedByRow(partitionOf(heap))).toThrow(/opened light/);
  });
});

function fromChain(count: number): HeapGraph {
  const small = graphOf('root -> a');
  const firstEdge = Uint32Array.from({ length: count + 1 }, (_, i) => Math.min(i, count - 1));
  return {
    ...small,
    nodes: {
      count,
      type: new Uint16Array(count),
      kind: new Uint32Array(count),
      name: new Uint32Array(count),
      size: new Float64Array(count).fill(1),
      id: Float64Array.from({ length: count }, (_, i) => i),
      firstEdge,
    },
    edges: {
      count: count - 1,
      to: Uint32Array.from({ length: count - 1 }, (_, i) => i + 1),
      type: new Uint8Array(count - 1),
      name: new Uint32Array(count - 1),
    },
    roots: Uint32Array.of(0),
  };
}
