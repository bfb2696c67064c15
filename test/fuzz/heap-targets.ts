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
import { mutate } from './mutate.ts';
import { editPythonHeap, editV8Heap } from './mutate-heap.ts';
import { editJson } from './mutate-json.ts';
import { LINE_EDITS } from './mutate-lines.ts';
import { fileTarget, isRead, type Target } from './target.ts';

/** Heaps, their tables, and columns on their way to a page. */
export function heapTargets(): Target[] {
  return [v8Target(), pythonTarget(), statTarget(), columnsTarget()];
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

function v8Target(): Target {
  const seeds = [{ label: 'seed.heapsnapshot', bytes: v8Seed() }];
  return fileTarget(
    v8Heap.id,
    seeds,
    [editJson, editV8Heap, editV8Heap, editV8Heap],
    async (_, bytes) => ask(await readHeap(v8Heap, bytes)),
  );
}

/** How many mutants are accidents that a checksum finds. */
const UNSEALED_SHARE = 0.05;

function pythonTarget(): Target {
  const name = 'seed.hwheap';
  const seeds = [pythonSeed(2), pythonSeed(1)] as const;
  return {
    id: pythonHeap.id,
    seeds: seeds.map((seed) => new Map([[name, seed]])),
    mutant(random) {
      const seed = seeds[random() < 0.75 ? 0 : 1]!;
      const sealed = random() >= UNSEALED_SHARE;
      const bytes = sealed ? editPythonHeap(seed, random) : mutate(seed, random, seed);
      return new Map([[name, bytes]]);
    },
    async attempt(files) {
      const bytes = files.get(name)!;
      const read = await isRead(async () => ask(await readHeap(pythonHeap, bytes)));
      return { read, behind: Buffer.compare(withChecksums(bytes), bytes) === 0 };
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
  const seeds = [{ label: 'seed.stat', bytes: new TextEncoder().encode(text) }];
  return fileTarget('heapy-stat', seeds, LINE_EDITS, (label, bytes) => {
    const lines = new TextDecoder().decode(bytes).split('\n');
    [...writeHeapyStat(readHeapyStat(label, lines))].join('');
  });
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
  return fileTarget('columns', [{ label: 'seed.columns', bytes }], [], (_, mutant) => {
    const { arrays } = decodeColumns(new Uint8Array(mutant));
    for (const array of Object.values(arrays)) Array.from<number>(array);
  });
}
