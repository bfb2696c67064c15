import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { heapOf, partitionOf, pathsTo, tableOf } from '../../src/analyses/heap/index.ts';
import { FormatError } from '../../src/base/errors.ts';
import { v8Heap } from '../../src/formats/v8-heap/index.ts';
import { dominatorsOf } from '../../src/model/heap/dominators.ts';
import type { HeapGraph } from '../../src/model/heap/graph.ts';
import { random } from '../support/random.ts';
import { dominatorsByPasses } from './oracle.ts';

const PROGRAM = `
  class Thing { constructor(i) { this.index = i; this.list = [i, {}]; } }
  class Secret { constructor() { this.pad = new Array(100).fill(1.5); } }
  globalThis.things = Array.from({ length: 500 }, (_, i) => new Thing(i));
  globalThis.key = { name: 'key' };
  globalThis.weak = new WeakMap([[globalThis.key, new Secret()]]);
  globalThis.odd = { 'a "quoted" \\\\ key\\n': new Map([['ü', new Thing(-1)]]) };
  require('v8').writeHeapSnapshot(process.argv[1]);
`;
let folder = '';
let bytes = new Uint8Array();
let graph: HeapGraph;

const read = (data: Uint8Array, piece = data.length, name = 'x.heapsnapshot') =>
  v8Heap.read({
    name,
    size: data.length,
    readAt: (offset, length) => data.subarray(offset, offset + length),
    *stream() {
      for (let at = 0; at < data.length; at += piece) yield data.subarray(at, at + piece);
    },
  });
const readText = (text: string) => read(new TextEncoder().encode(text));

/** Byte for byte: comparing hundreds of thousands of numbers one by one takes half a minute. */
function expectSame(one: HeapGraph, two: HeapGraph): void {
  const raw = (column: ArrayBufferView) =>
    Buffer.from(column.buffer, column.byteOffset, column.byteLength);
  for (const part of ['nodes', 'edges'] as const) {
    for (const [name, column] of Object.entries(one[part])) {
      if (typeof column === 'number') continue;
      const other = two[part][name as keyof (typeof two)[typeof part]] as unknown as Uint8Array;
      expect(raw(column as Uint8Array).equals(raw(other)), `${part}.${name}`).toBe(true);
    }
  }
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'highwater-heap-'));
  const file = join(folder, 'real.heapsnapshot');
  execFileSync(process.execPath, ['-e', PROGRAM, file]);
  bytes = readFileSync(file);
  graph = await read(bytes);
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a real snapshot of V8', () => {
  it('is read as JSON.parse reads it', () => {
    const json = JSON.parse(new TextDecoder().decode(bytes)) as {
      snapshot: { node_count: number; edge_count: number };
      nodes: number[];
      edges: number[];
      strings: string[];
    };
    const { nodes, edges, strings } = graph;
    expect([nodes.count, edges.count]).toEqual([
      json.snapshot.node_count,
      json.snapshot.edge_count,
    ]);
    const width = json.nodes.length / nodes.count;
    for (let node = 0; node < nodes.count; node += 97) {
      const at = node * width;
      expect([nodes.name[node], nodes.id[node], nodes.size[node]]).toEqual(
        json.nodes.slice(at + 1, at + 4),
      );
      expect(strings.text(nodes.name[node]!)).toBe(json.strings[nodes.name[node]!]);
    }
    for (let edge = 0; edge < edges.count; edge += 197) {
      expect(edges.to[edge]! * width).toBe(json.edges[edge * 3 + 2]);
      expect(edges.name[edge]).toBe(json.edges[edge * 3 + 1]);
    }
    json.strings.forEach((text, id) => {
      if (strings.text(id) !== text) expect(strings.text(id)).toBe(text);
    });
  });

  it('is the same in pieces of any size, and without a file to go back to', async () => {
    for (const piece of [61, 4096]) {
      const again = await read(bytes, piece);
      expectSame(again, graph);
    }
    const held = await v8Heap.read({
      name: 'x',
      size: null,
      stream: async function* () {
        yield bytes;
      },
    });
    expectSame(held, graph);
    expect(held.strings.text(held.nodes.kind[100]!)).toBe(
      graph.strings.text(graph.nodes.kind[100]!),
    );
  });

  it('has our objects, with stores told by their owner, and paths to them', () => {
    const heap = heapOf(graph);
    const kinds = partitionOf(heap);
    const rows = tableOf(kinds, { limit: kinds.rows }).rows;
    const row = (kind: string) => rows.find((one) => one.kind === kind);
    expect(row('Thing')!.count).toBe(501);
    expect(row('elements of Array')!.count).toBeGreaterThan(500);
    const things = heap.objects.filter(
      (node) => graph.strings.text(graph.nodes.kind[node]!) === 'Thing',
    );
    expect(pathsTo(heap, things).paths[0]!.text).toBe('h.Root.global.things[0]');
    expect(pathsTo(heap, things).count).toBe(500);
  });

  it('lets the key of a WeakMap hold its value, not the table', () => {
    const heap = heapOf(graph);
    const { dominator } = heap.dominators();
    const secret = heap.objects.find(
      (node) => graph.strings.text(graph.nodes.kind[node]!) === 'Secret',
    )!;
    expect(pathsTo(heap, Uint32Array.of(secret)).paths[0]!.text).toMatch(
      /^h\.Root\.global\.key\.</,
    );
    const holder = dominator[secret]!;
    expect(graph.strings.text(graph.nodes.kind[holder]!)).toBe('Object');
  });

  it('has the dominators that a second way finds', () => {
    const { dominator, retained } = dominatorsOf(graph);
    const other = dominatorsByPasses(graph);
    expect(dominator.every((node, i) => node === other[i])).toBe(true);
    expect(retained[0]).toBe(graph.nodes.size.reduce((sum, size) => sum + size, 0));
  });
});

const SMALL = {
  snapshot: {
    meta: {
      node_fields: ['type', 'name', 'id', 'self_size', 'edge_count'],
      node_types: [['synthetic', 'object'], 'string', 'number', 'number', 'number'],
      edge_fields: ['type', 'name_or_index', 'to_node'],
      edge_types: [['property', 'element', 'weak'], 'string_or_number', 'node'],
    },
    node_count: 2,
    edge_count: 1,
  },
  nodes: [0, 0, 1, 0, 1, 1, 1, 3, 5_000_000_000, 0],
  edges: [0, 2, 5],
  strings: ['', 'Foo', 'x'],
};

describe('a snapshot that is not what it says', () => {
  it('is refused in one line with the place, wherever it is cut', async () => {
    const text = JSON.stringify(SMALL);
    await expect(readText(text)).resolves.toBeDefined();
    for (let length = 0; length < text.length; length++) {
      await expect(readText(text.slice(0, length)), `cut at ${length}`).rejects.toBeInstanceOf(
        FormatError,
      );
    }
    for (const share of [0.01, 0.3, 0.6, 0.95, 0.999]) {
      const cut = bytes.subarray(0, Math.floor(bytes.length * share));
      await expect(read(cut)).rejects.toThrow(/^x\.heapsnapshot(, byte \d+)?: /);
    }
  });

  it('is refused for each thing that is wrong', async () => {
    const wrong = (change: (one: typeof SMALL) => void) => {
      const one = structuredClone(SMALL);
      change(one);
      return readText(JSON.stringify(one));
    };
    const meta = (one: typeof SMALL) => one.snapshot.meta;
    await expect(
      wrong((one) => {
        one.snapshot.node_count = 1_000_000_000;
      }),
    ).rejects.toThrow(/counts 1000000000 objects, more than \d+ bytes can hold/);
    await expect(
      wrong((one) => {
        one.snapshot.edge_count = 1e9;
      }),
    ).rejects.toThrow(/1000000000 references, more than/);
    await expect(
      wrong((one) => {
        one.snapshot.node_count = 3;
      }),
    ).rejects.toThrow(/counts 3 objects, but there are 2/);
    await expect(
      wrong((one) => {
        one.snapshot.node_count = 1;
      }),
    ).rejects.toThrow(/more objects than the 1 that/);
    await expect(
      wrong((one) => {
        one.nodes[4] = 7;
      }),
    ).rejects.toThrow(/more references than the 1/);
    await expect(
      wrong((one) => {
        one.nodes[4] = 0;
      }),
    ).rejects.toThrow(/counts 1 references, but there are 0/);
    await expect(
      wrong((one) => {
        one.edges[2] = 4;
      }),
    ).rejects.toThrow(/leads to 4, where no object begins/);
    await expect(
      wrong((one) => {
        one.edges[2] = 500;
      }),
    ).rejects.toThrow(/leads to 500/);
    await expect(
      wrong((one) => {
        one.nodes[0] = 9;
      }),
    ).rejects.toThrow(/object 0 is of type 9 of 2/);
    await expect(
      wrong((one) => {
        one.nodes[1] = 77;
      }),
    ).rejects.toThrow(/named by text 77, and there are 3/);
    await expect(
      wrong((one) => {
        one.edges[1] = 77;
      }),
    ).rejects.toThrow(/reference 0 is named by text 77/);
    await expect(
      wrong((one) => {
        meta(one).node_fields[3] = 'bytes';
      }),
    ).rejects.toThrow(/names no field self_size/);
    await expect(
      wrong((one) => {
        one.nodes[2] = 1.5;
      }),
    ).rejects.toThrow(/byte \d+: "\." among its objects/);
    await expect(
      wrong((one) => {
        one.nodes[2] = -1;
      }),
    ).rejects.toThrow(/"-" among its objects/);
    await expect(readText('[1,2]')).rejects.toThrow(/byte 0: it is no heap snapshot/);
    await expect(readText('{"nodes":[1]}')).rejects.toThrow(/"nodes" comes before "snapshot"/);
    await expect(readText(`${JSON.stringify(SMALL)} x`)).rejects.toThrow(/something follows/);
  });

  it('has its texts to the letter, wherever pieces end, and steps over what it does not need', async () => {
    const texts = ['', 'Foo', 'x', '\\', '"', 'a\\"b\\\\', 'ü\n', '\u0001"\\"', '[1,{"2":3}]'];
    const other = {
      ...SMALL,
      locations: [[1, 2], { a: '\\"]}', b: [[-1.5e3, null]] }, 7],
      strings: texts,
    };
    const data = new TextEncoder().encode(JSON.stringify(other));
    for (let piece = 1; piece <= 40; piece++) {
      const { strings } = await read(data, piece);
      expect(texts.map((_, id) => strings.text(id))).toEqual(texts);
    }
  });

  it('is read by its own header: fields of another V8 in another order', async () => {
    const other = {
      snapshot: {
        meta: {
          node_fields: ['self_size', 'new_field', 'id', 'edge_count', 'type', 'name'],
          node_types: ['number', 'number', 'number', 'number', ['synthetic', 'object'], 'string'],
          edge_fields: ['to_node', 'type', 'name_or_index'],
          edge_types: ['node', ['property', 'element', 'weak'], 'string_or_number'],
        },
        node_count: 2,
        edge_count: 1,
      },
      nodes: [0, 42, 1, 1, 0, 0, 5_000_000_000, 42, 3, 0, 1, 1],
      edges: [6, 0, 2],
      samples: [[1, { a: '}]"' }]],
      strings: ['', 'Foo', 'x'],
    };
    const one = await readText(JSON.stringify(SMALL));
    const two = await readText(JSON.stringify(other, null, 1));
    expect(two.nodes).toEqual(one.nodes);
    expect(two.edges).toEqual(one.edges);
    expect(one.nodes.size[1]).toBe(5_000_000_000);
  });

  it('never takes long, nor throws anything else, whatever bytes are changed', async () => {
    const next = random(5);
    const text = new TextEncoder().encode(JSON.stringify(SMALL));
    for (let round = 0; round < 3000; round++) {
      const changed = text.slice();
      for (let times = 0; times < 1 + (round % 3); times++) {
        changed[Math.floor(next() * changed.length)] = Math.floor(next() * 128);
      }
      try {
        const found = await read(changed);
        dominatorsOf(found);
      } catch (error) {
        expect(error, new TextDecoder().decode(changed)).toBeInstanceOf(FormatError);
      }
    }
  });
});
