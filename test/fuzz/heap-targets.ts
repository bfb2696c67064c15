import {
  heapOf,
  holdersOf,
  partitionOf,
  pathsTo,
  retainedSize,
  tableOf,
  WAYS,
} from '../../src/analyses/heap/index.ts';
import type { HeapFormat } from '../../src/formats/heap-format.ts';
import { readHeapyStat, writeHeapyStat } from '../../src/formats/heapy-stat.ts';
import { pythonHeap } from '../../src/formats/python-heap/index.ts';
import { v8Heap } from '../../src/formats/v8-heap/index.ts';
import { decodeColumns, encodeColumns } from '../../src/model/columns.ts';
import type { HeapGraph } from '../../src/model/heap/graph.ts';
import { pythonSeed, v8Seed, withChecksums } from './heap-seeds.ts';
import { expected, type Target } from './target.ts';

/** Heaps, their tables, and columns on their way to a page. */
export function heapTargets(): Target[] {
  return [
    heapTarget(v8Heap, v8Seed(), [(bytes) => bytes]),
    // Damage that a checksum finds, and the same damage behind one that fits.
    heapTarget(pythonHeap, pythonSeed(), [(bytes) => bytes, withChecksums]),
    statTarget(),
    columnsTarget(),
  ];
}

/** What a format makes of bytes that come in small pieces. */
export async function readHeap(format: HeapFormat, bytes: Uint8Array): Promise<HeapGraph> {
  return format.read({
    name: `x${format.extensions[0]}`,
    size: bytes.length,
    *stream() {
      for (let at = 0; at < bytes.length; at += 100) yield bytes.slice(at, at + 100);
    },
  });
}

type Mend = (bytes: Uint8Array) => Uint8Array;

function heapTarget(format: HeapFormat, seed: Uint8Array, mends: readonly Mend[]): Target {
  return {
    id: format.id,
    seeds: [{ label: `seed${format.extensions[0]}`, bytes: seed }],
    async attempt(_label, bytes) {
      for (const mend of mends) {
        await expected(async () => ask(await readHeap(format, mend(bytes))));
      }
    },
  };
}

/** What the commands ask of a heap. */
function ask(graph: HeapGraph): void {
  const heap = heapOf(graph);
  for (const way of WAYS) tableOf(partitionOf(heap, heap.objects, way), { retained: true });
  retainedSize(heap, heap.objects);
  pathsTo(heap, heap.objects);
  holdersOf(heap, heap.objects);
}

function statTarget(): Target {
  const rows = [
    { count: 3, size: 300, kind: 'dict of __main__.Node' },
    { count: 1, size: 50, kind: 'str' },
  ];
  const about = { made: 1.5e9, header: 'Kind', kindName: '<mixed>', count: 4, size: 350 };
  const text = [...writeHeapyStat({ type: 'heap-stat', ...about, rows })].join('');
  return {
    id: 'heapy-stat',
    seeds: [{ label: 'seed.stat', bytes: new TextEncoder().encode(text) }],
    attempt: (label, bytes) =>
      expected(() => {
        const lines = new TextDecoder().decode(bytes).split('\n');
        [...writeHeapyStat(readHeapyStat(label, lines))].join('');
      }),
  };
}

function columnsTarget(): Target {
  const bytes = encodeColumns(
    { of: 'run', rows: 3 },
    {
      time: Float64Array.of(1, 2, 3),
      state: Uint8Array.of(0, 1, 0),
      size: Uint32Array.of(7, 8, 9),
    },
  );
  return {
    id: 'columns',
    seeds: [{ label: 'seed.columns', bytes }],
    attempt: (_label, mutant) =>
      expected(() => {
        const { arrays } = decodeColumns(new Uint8Array(mutant));
        for (const array of Object.values(arrays)) Array.from<number>(array);
      }),
  };
}
