import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 as zlibCrc } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { heapOf, partitionOf } from '../../src/analyses/heap/index.ts';
import { FormatError } from '../../src/base/errors.ts';
import { Addresses } from '../../src/formats/python-heap/addresses.ts';
import { crc32 } from '../../src/formats/python-heap/crc32.ts';
import { readPythonHeap } from '../../src/formats/python-heap/index.ts';
import type { HeapGraph } from '../../src/model/heap/graph.ts';
import { needs, python } from '../support/programs.ts';
import { random } from '../support/random.ts';

const PROGRAM = `
import json, sys
sys.path.insert(0, "python")
from highwater import heap
class Node:
    def __init__(self, n):
        self.name = "node %d" % n
        self.links = [n, {"deep": (n,)}]
class Slot:
    __slots__ = ("held",)
    def __init__(self, n):
        self.held = n
nodes = [Node(n) for n in range(200)]
slots = {("pair", n): Slot(n) for n in range(100)}
words = {"long": "x" * 100, "other": "ünï", "half": "\\ud800", "small": -7, "large": 2**63 + 1, "huge": 10**30}
several = []
for n in range(300):
    several.append(Node(n))
    setattr(several[-1], "".join(["one ", "name"]), float(n) + 0.5)
def run():
    local = ["held by a variable alone"]
    return heap.dump(sys.argv[1], sys.argv[2]).wait()
print(json.dumps([run(), {row.name: [row.count, row.size] for row in heap().stat.rows}]))
`;

let folder: string;
let bytes: Uint8Array;
let figures: { objects: number; bytes: number; pauseMs: number };
/** What `heap()` printed in the same process. */
let rows: Record<string, [number, number]>;

const input = (data: Uint8Array, piece = 1 << 16, size: number | null = data.length) => ({
  name: 'x.hwheap',
  size,
  *stream() {
    for (let at = 0; at < data.length; at += piece) yield data.subarray(at, at + piece);
  },
});

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'highwater-python-heap-'));
  const file = join(folder, 'x.hwheap');
  const done = spawnSync(python(), ['-c', PROGRAM, file, 'fork'], { encoding: 'utf8' });
  if (done.status !== 0) return; // the tests below say what is absent
  [figures, rows] = JSON.parse(done.stdout);
  bytes = readFileSync(file);
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Follows names from the root. */
function follow(graph: HeapGraph, ...names: (string | number)[]): number {
  let node = 0;
  for (const name of names) {
    const { firstEdge } = graph.nodes;
    let next = -1;
    for (let edge = firstEdge[node]!; edge < firstEdge[node + 1]!; edge++) {
      const type = graph.edgeTypes[graph.edges.type[edge]!];
      const said = graph.edges.name[edge]!;
      if (type === 'element' ? said === name : graph.strings.text(said) === name) {
        next = graph.edges.to[edge]!;
      }
    }
    if (next < 0) throw new Error(`nothing is called ${name}`);
    node = next;
  }
  return node;
}

describe('a heap of a Python process', () => {
  const real = needs('python3');

  real('has the kinds, counts and sizes that Python itself counts', async () => {
    const graph = await readPythonHeap(input(bytes));
    const heap = heapOf(graph);
    expect(heap.objects.length).toBe(figures.objects);
    const kinds = partitionOf(heap);
    const found = new Map<string, number[]>();
    for (let row = 0; row < kinds.rows; row++) {
      found.set(kinds.label(row), [kinds.counts[row]!, kinds.sizes[row]!]);
    }
    for (const kind of ['__main__.Node', 'dict of __main__.Node', '__main__.Slot']) {
      expect([kind, found.get(kind)]).toEqual([kind, rows[kind]]);
    }
    // Taken a moment apart, and the second has what the first one imported.
    for (const kind of ['tuple', 'list', 'str', 'function', 'type', 'dict of module']) {
      const [count, other] = [found.get(kind)![0]!, rows[kind]![0]];
      expect(Math.abs(count - other) / other, kind).toBeLessThan(0.1);
    }
  });

  real('has names on its references, up to the variables of running functions', async () => {
    const graph = await readPythonHeap(input(bytes, 1000));
    const main = ['i0_modules', "'__main__'", '__dict__'];
    const kindOf = (node: number) => graph.strings.text(graph.nodes.kind[node]!);
    expect(kindOf(follow(graph, ...main, "'nodes'", 7))).toBe('__main__.Node');
    const text = follow(graph, ...main, "'nodes'", 7, '__dict__', "'name'");
    expect(graph.strings.text(graph.nodes.name[text]!)).toBe('node 7');
    expect(kindOf(follow(graph, ...main, "'nodes'", 7, '__dict__', "'links'", 1, "'deep'"))).toBe(
      'tuple',
    );
    expect(kindOf(follow(graph, 'run() local'))).toBe('list');
  });

  real('has each object once, however many refer to it', async () => {
    const { nodes } = await readPythonHeap(input(bytes));
    const ids = [...nodes.id.subarray(1)];
    expect(new Set(ids).size).toBe(ids.length);
  });

  real('knows texts and numbers by how they begin', async () => {
    const graph = await readPythonHeap(input(bytes));
    const said = (key: string) => {
      const node = follow(graph, 'i0_modules', "'__main__'", '__dict__', "'words'", `'${key}'`);
      return graph.strings.text(graph.nodes.name[node]!);
    };
    expect(said('long')).toBe('x'.repeat(60));
    expect(said('other')).toBe('ünï');
    expect(said('half')).toMatch(/\ufffd/);
    expect(said('small')).toBe('-7');
    expect(said('large')).toBe('9223372036854775809');
    expect(said('huge')).toBe('');
  });

  real('says what the resident size is made of', async () => {
    const { about } = await readPythonHeap(input(bytes));
    expect(about.version).toMatch(/^CPython 3\.\d+\.\d+/);
    const beyond = Object.values(about.beyond!).reduce((sum, size) => sum + size, 0);
    expect(beyond + figures.bytes).toBe(about.rss);
    expect(about.beyond).toHaveProperty('native libraries and mapped files');
  });

  real('is refused in one line where it is cut', async () => {
    const next = random(7);
    const cuts = [0, 1, 8, 15, 16, 31, 40, bytes.length - 1, bytes.length - 33];
    for (let i = 0; i < 10; i++) cuts.push(Math.floor(next() * bytes.length));
    for (const cut of cuts) {
      for (const size of [cut, null, bytes.length * 1000]) {
        const reading = readPythonHeap(input(bytes.subarray(0, cut), 1 << 16, size));
        await expect(reading, `${cut}`).rejects.toThrow(FormatError);
      }
    }
  });

  real('is refused where a bit was flipped or a count is a lie', async () => {
    const next = random(8);
    for (let i = 0; i < 20; i++) {
      const spoiled = Uint8Array.from(bytes);
      spoiled[16 + Math.floor(next() * (bytes.length - 16))]! ^= 1 << Math.floor(next() * 8);
      await expect(readPythonHeap(input(spoiled))).rejects.toThrow(FormatError);
    }
    const view = new DataView(Uint8Array.from(bytes).buffer);
    // The first block's count of objects, with a checksum that fits.
    view.setBigUint64(32, 2n ** 40n, true);
    const length = Number(view.getBigUint64(24, true));
    view.setUint32(20, zlibCrc(new Uint8Array(view.buffer, 32, length)), true);
    const lie = readPythonHeap(input(new Uint8Array(view.buffer)));
    await expect(lie).rejects.toThrow(
      'x.hwheap is damaged: the block at byte 16 lies about its counts',
    );
  });

  real('says which version it cannot read', async () => {
    const newer = Uint8Array.from(bytes);
    newer[8] = 9;
    await expect(readPythonHeap(input(newer))).rejects.toThrow(
      'is a heap of version 9; this reads 1 to 2',
    );
  });

  it('is not taken for what is none', async () => {
    const text = new TextEncoder().encode('{"snapshot":{}}                      ');
    await expect(readPythonHeap(input(text))).rejects.toThrow(
      'x.hwheap is no heap of a Python process',
    );
  });
});

describe('its parts', () => {
  it('has the checksum that zlib has', () => {
    const next = random(1);
    for (const length of [0, 1, 7, 8, 9, 1000, 4099]) {
      const data = Uint8Array.from({ length }, () => next() * 256);
      expect(crc32(data)).toBe(zlibCrc(data));
    }
  });

  it('finds nodes that lie far from each other, and those that share 16 bytes', () => {
    const next = random(3);
    const ids = [0];
    for (let i = 0; i < 20_000; i++) ids.push(Math.floor(next() * 2 ** 31) * 2 ** 16);
    for (let i = 1; i < 5000; i++) ids.push(ids[i]! + 1, ids[i]! + 8, ids[i]! + 2 ** 44);
    const addresses = new Addresses(Float64Array.from(ids), ids.length);
    for (let node = 1; node < ids.length; node++) {
      const found = addresses.find(ids[node]! >>> 0, Math.floor(ids[node]! / 2 ** 32));
      expect(ids[found]).toBe(ids[node]);
    }
    expect(addresses.find(3, 0)).toBe(0);
  });

  it('finds nodes whose addresses lie in rows far apart, and no others', () => {
    const ids = [0];
    for (const arena of [0x7f00_0000_0000, 0x7f00_1000_0000, 0x5555_0000_0000, 0x7f01_0000_0000]) {
      for (let i = 0; i < 50_000; i++) ids.push(arena + 48 * i, arena + 48 * i + 1);
    }
    const addresses = new Addresses(Float64Array.from(ids), ids.length);
    for (let node = 1; node < ids.length; node += 101) {
      expect(addresses.find(ids[node]! >>> 0, Math.floor(ids[node]! / 2 ** 32))).toBe(node);
      expect(addresses.find((ids[node]! + 8) >>> 0, Math.floor(ids[node]! / 2 ** 32))).toBe(0);
    }
  });
});
