import { describe, expect, it } from 'vitest';
import {
  growthOf,
  heapOf,
  identitiesOf,
  membersOf,
  minusHeap,
  partitionOf,
  pathsTo,
  referentsOf,
  referrersOfSet,
  rollOf,
  statDifference,
  statOf,
  tableOf,
} from '../../src/analyses/heap/index.ts';
import { readHeapyStat, writeHeapyStat } from '../../src/formats/heapy-stat.ts';
import type { HeapGraph } from '../../src/model/heap/graph.ts';
import {
  differenceText,
  growthText,
  partitionText,
  pathsText,
} from '../../src/views/heap/index.ts';
import { graphOf } from './graphs.ts';

const GRAPH = graphOf(`root(8) -> cache(64) module(32)
  cache -> item1(100) item2(100)
  module -> item2 item3(100)
  item3 -> text1(40)
  item1 -> ~text2(40)
  module -> text2`);
const heap = heapOf(GRAPH);
const names = (set: Iterable<number>) =>
  [...set].map((node) => GRAPH.strings.text(GRAPH.nodes.name[node]!));

describe('a partition', () => {
  it('prints as Heapy prints it, column for column', () => {
    expect(partitionText(tableOf(partitionOf(heap)))).toBe(
      `Partition of a set of 8 objects. Total size = 484 bytes.
 Index  Count   %     Size   % Cumulative  % Kind (class / dict of class)
     0      3  38      300  62       300  62 item
     1      2  25       80  17       380  79 text
     2      1  12       64  13       444  92 cache
     3      1  12       32   7       476  98 module
     4      1  12        8   2       484 100 root
`,
    );
  });

  it('shows ten rows and then more, but eleven at once', () => {
    const many = (count: number) => {
      const letters = Array.from(
        { length: count },
        (_, i) => `kind_${String.fromCharCode(97 + i)}`,
      );
      return partitionOf(heapOf(graphOf(`root -> ${letters.join(' ')}`)));
    };
    const eleven = partitionText(tableOf(many(10)));
    expect(eleven.trimEnd().split('\n')).toHaveLength(13);
    const twelve = many(11);
    expect(partitionText(tableOf(twelve))).toMatch(
      /\n<2 more rows\. Type e\.g\. '_\.more' to view\.>\n$/,
    );
    expect(partitionText(tableOf(twelve, { from: 10 }), false)).toMatch(
      /^ Index .*\n {4}10 .*\n {4}11 /,
    );
  });

  it('goes apart by size, type, kinds of referrers, module and id', () => {
    const rows = (way: Parameters<typeof partitionOf>[2]) =>
      tableOf(partitionOf(heap, heap.objects, way)).rows.map(
        ({ kind, count }) => `${kind.trim()} ${count}`,
      );
    expect(rows('size')).toEqual(['100 3', '40 2', '64 1', '32 1', '8 1']);
    expect(rows('type')).toEqual(['object 8']);
    expect(rows('rcs')).toEqual([
      'module 2',
      'cache 1',
      'cache, module 1',
      'root 2',
      'item 1',
      '<Nothing> 1',
    ]);
    expect(rows('id')[0]).toMatch(/^item: item1 0x/);
  });

  it('is drilled into by row and slice, and asked for its neighbours', () => {
    const items = membersOf(partitionOf(heap), 0);
    expect(names(items)).toEqual(['item1', 'item2', 'item3']);
    expect(names(membersOf(partitionOf(heap), 1, 3))).toEqual(['cache', 'text1', 'text2']);
    expect(names(referentsOf(heap, items))).toEqual(['text1']);
    expect(names(referrersOfSet(heap, items))).toEqual(['cache', 'module']);
  });

  it('goes into a file that Heapy reads, and comes back the same', () => {
    const stat = statOf(partitionOf(heap), 1_700_000_000);
    const text = [...writeHeapyStat(stat)].join('');
    expect(text).toMatch(
      /^\.loader: _load_stat\n\.format: SetFormat\n\.timemade: 1700000000\.000000\n\.count: 8\n/,
    );
    expect(readHeapyStat('x.stat', text.split('\n'))).toEqual(stat);
    expect(() => readHeapyStat('x.stat', text.split('\n').slice(0, 12))).toThrow(
      /x\.stat, line 12: it ends without/,
    );
    expect(() =>
      readHeapyStat('x.stat', text.replace('numrows: 5', 'numrows: 7').split('\n')),
    ).toThrow(/says 7 rows and has 5/);
  });
});

describe('shortest paths', () => {
  it('lead to the nearest members only, each way one', () => {
    const items = membersOf(partitionOf(heap), 0);
    expect(pathsText(pathsTo(heap, items))).toBe(
      ' 0: h.Root.cache.item1\n 1: h.Root.cache.item2\n 2: h.Root.module.item2\n 3: h.Root.module.item3\n',
    );
    expect(pathsText(pathsTo(heap, items, { limit: 2 }))).toMatch(
      /<\.\.\. 2 more paths \.\.\.>\n$/,
    );
    expect(pathsTo(heap, items, { from: 3 }).paths.map(({ text }) => text)).toEqual([
      'h.Root.module.item3',
    ]);
  });

  it('are counted, not walked, where there are very many', () => {
    const layers = Array.from(
      { length: 60 },
      (_, i) => `a${i} -> a${i + 1} b${i + 1}\nb${i} -> a${i + 1} b${i + 1}`,
    );
    const many = heapOf(graphOf(`root -> a0 b0\n${layers.join('\n')}`));
    const target = many.objects.filter(
      (node) => many.graph.strings.text(many.graph.nodes.name[node]!) === 'a60',
    );
    expect(pathsTo(many, target, { limit: 1 })).toMatchObject({ distance: 61, count: 2 ** 60 });
  });

  it('say so where no root leads', () => {
    const lost = heapOf(graphOf('root -> a\nlost -> b'));
    const set = lost.objects.filter(
      (node) => lost.graph.strings.text(lost.graph.nodes.name[node]!) === 'b',
    );
    expect(pathsTo(lost, set)).toMatchObject({ distance: null, count: 0 });
  });
});

describe('several heaps', () => {
  /** A program whose list grows and whose buffer does not; ids go on. */
  const at = (step: number, fixed = 3): HeapGraph => {
    const leaked = Array.from({ length: step * 20 }, (_, i) => `leak${i}(2000)`);
    const settled = Array.from({ length: Math.min(step, 2) * 20 }, (_, i) => `pool${i}(1000)`);
    const base = Array.from({ length: fixed }, (_, i) => `base${i}`);
    return graphOf(
      `root -> ${base.join(' ')} list\nlist -> ${leaked.join(' ')}\nroot -> ${settled.join(' ')}`,
    );
  };
  /** By name, as the same object has the same id. */
  const named = (graph: HeapGraph): HeapGraph => {
    const id = Float64Array.from(graph.nodes.name, (name) => {
      const text = graph.strings.text(name);
      return [...text].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7) % 2 ** 40;
    });
    return { ...graph, nodes: { ...graph.nodes, id } };
  };
  const heaps = [1, 2, 3].map((step) => heapOf(named(at(step))));
  const stats = heaps.map((one) => statOf(partitionOf(one), 0));

  it('differ by kind, as Heapy prints it', () => {
    const text = differenceText(statDifference(stats[2]!, stats[0]!));
    expect(text).toContain('Summary of difference operation (A-B).\n        Count     Size\n');
    expect(text).toMatch(
      / {5}0 {5}40 {4}80000 {5}80000 +133 leak\n {5}1 {5}20 {4}20000 {4}100000 +167 pool/,
    );
  });

  it('are subtracted by identity', () => {
    const fresh = minusHeap(heaps[2]!, heaps[2]!.objects, identitiesOf(heaps[1]!));
    expect(fresh.length).toBe(20);
    const other = heapOf({
      ...at(2),
      nodes: { ...at(2).nodes, id: at(2).nodes.id.map((id) => -id) },
    });
    expect(() => minusHeap(heaps[2]!, heaps[2]!.objects, identitiesOf(other))).toThrow(
      /hardly an object in common/,
    );
  });

  it('name what grows at each step a candidate, with its path, and what stopped settled', () => {
    const growth = growthOf(stats, heaps.slice(0, 2).map(rollOf), heaps[2]!);
    expect(growth.rows.map(({ kind, verdict }) => `${kind} ${verdict}`)).toEqual([
      'leak candidate',
      'pool settled',
    ]);
    expect(growth.rows[0]).toMatchObject({
      newObjects: 40,
      retained: 80_000,
      path: 'list.leak20',
    });
    const text = growthText(growth);
    expect(text).toMatch(/^3 heaps: /);
    expect(text).toContain('40 new, most at ');
    expect(text).not.toMatch(/is a leak|leaks/);
  });
});
