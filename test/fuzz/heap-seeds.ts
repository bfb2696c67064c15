import { crc32 } from 'node:zlib';

/** A snapshot of V8 of a few objects, with each kind of node and edge that the reader treats apart. */
export function v8Seed(): Uint8Array {
  const nodeTypes = [
    'hidden',
    'array',
    'string',
    'object',
    'code',
    'closure',
    'native',
    'synthetic',
  ];
  const edgeTypes = ['context', 'element', 'property', 'internal', 'hidden', 'shortcut', 'weak'];
  const meta = {
    node_fields: ['type', 'name', 'id', 'self_size', 'edge_count', 'detachedness'],
    node_types: [nodeTypes, 'string', 'number', 'number', 'number', 'number'],
    edge_fields: ['type', 'name_or_index', 'to_node'],
    edge_types: [edgeTypes, 'string_or_number', 'node'],
  };
  const strings = ['', '(GC roots)', 'Window', 'cache', 'Entry', 'a "text"\n', 'ünï', 'table'];
  const width = meta.node_fields.length;
  const [nodes, edges]: [number[][], number[][]] = [[], []];
  const node = (type: string, name: number, size: number, links: [string, number, number][]) => {
    nodes.push([nodeTypes.indexOf(type), name, 2 * nodes.length + 1, size, links.length, 0]);
    for (const [kind, label, to] of links) edges.push([edgeTypes.indexOf(kind), label, to * width]);
  };
  node('synthetic', 1, 0, [['element', 1, 1]]);
  node('object', 2, 32, [
    ['property', 3, 2],
    ['internal', 7, 3],
  ]); // prettier would say the same
  node('object', 4, 48, [
    ['property', 5, 4],
    ['weak', 3, 1],
    ['context', 6, 5],
  ]);
  node('array', 7, 800, [
    ['element', 0, 2],
    ['hidden', 1, 5],
  ]);
  node('string', 5, 24, []);
  node('closure', 6, 64, [['shortcut', 3, 1]]);
  const snapshot = { meta, node_count: nodes.length, edge_count: edges.length };
  const text = JSON.stringify({ snapshot, nodes: nodes.flat(), edges: edges.flat(), strings });
  return new TextEncoder().encode(text);
}

/** A heap of a Python process of a few objects, as each version of the format has it; docs/python-heap.md. */
export function pythonSeed(version: 1 | 2 = 2): Uint8Array {
  const [STR, LIST, DICT, CLASS, INT] = [0x1000, 0x2000, 0x3000, 0x4000, 0x5000];
  const [name, items, dict, owner, number] = [
    0x7f00_0000_0010, 0x7f00_0000_0050, 0x5555_0000_0000, 0x5555_0000_0100, 0x7f00_0000_0090,
  ];
  const types = [
    [STR, 'str', ''],
    [LIST, 'list', ''],
    [DICT, 'dict', ''],
    [CLASS, 'Node', '__main__'],
    [INT, 'int', ''],
  ];
  // Of all objects first: an address, a type and a size; from version 2 on the type and a part of the size once.
  const one = (address: number, type: number, size: number, head = 16) =>
    version === 1
      ? longs(address, type, size)
      : joined([longs(type), ints(head, 4), longs(address), ints(size - head)]);
  const several = (address: number, type: number, size: number) =>
    version === 1
      ? longs(address, type, size)
      : joined([longs(0), ints(0, 8), longs(address, type, size)]);
  const leaves =
    version === 1
      ? [
          block('LEAF', 1, 0, one(name, STR, 50)),
          block('LEAF', 1, 0, one(number, INT, 28)),
          block('TEXT', 2, 20, longs(name, number), ints(6, 14), text('weight-4398046511104')),
        ]
      : [
          block('STR ', 1, 6, one(name, STR, 50, 0), ints(6), text('weight')),
          block('INT ', 1, 0, one(number, INT, 28, 0), signed(-(2 ** 42))),
          block('LEAF', 0, 0, one(0, 0, 0, 0).subarray(0, 16)),
        ];
  return joined([
    Uint8Array.of(0x48, 0x57, 0x48, 0x45, 0x41, 0x50, 0x0d, 0x0a, version, 0, 0, 0, 0, 0, 0, 0),
    ...leaves,
    block('LIST', 1, 2, one(items, LIST, 72), ints(2), longs(name, owner)),
    block('DICT', 1, 2, one(dict, DICT, 232), ints(2), longs(name, number), longs(items, name)),
    block('NODE', 1, 1, several(owner, CLASS, 48), ints(1), longs(dict)),
    block('DATA', 1, 0, longs(0x7f10_0000_0000, 4096), ints(0)),
    block('MORE', 0, 1, longs(items), longs(0x7f10_0000_0000)),
    block('OWN ', 0, 1, longs(owner), longs(dict)),
    block('TEXT', 1, 4, longs(owner), ints(4), text('main')),
    block('ROOT', 1, 10, longs(owner), ints(10), text('i0_modules')),
    json('TYPE', types),
    json('KIND', ['ndarray data']),
    json('INFO', {
      pid: 7,
      version: 'CPython 3.12.1',
      taken: 1.5e9,
      rss: 1e6,
      beyond: { stacks: 5 },
    }),
    block('END ', 5, 5),
  ]);
}

/** The same file with checksums that fit: damage that only the readers behind them can find. */
export function withChecksums(bytes: Uint8Array): Uint8Array {
  const fixed = bytes.slice();
  const view = new DataView(fixed.buffer);
  for (let at = 16; at + 16 <= fixed.length; ) {
    const length = view.getUint32(at + 8, true) + view.getUint32(at + 12, true) * 2 ** 32;
    if (at + 16 + length > fixed.length) break;
    view.setUint32(at + 4, crc32(fixed.subarray(at + 16, at + 16 + length)), true);
    at += 16 + length;
  }
  return fixed;
}

const text = (said: string) => new TextEncoder().encode(said);
const longs = (...values: number[]) =>
  new Uint8Array(BigUint64Array.from(values.map(BigInt)).buffer);
const signed = (...values: number[]) =>
  new Uint8Array(BigInt64Array.from(values.map(BigInt)).buffer);
const ints = (...values: number[]) => new Uint8Array(Uint32Array.from(values).buffer);

function block(tag: string, nodes: number, edges: number, ...columns: Uint8Array[]): Uint8Array {
  const payload = joined([longs(nodes, edges), ...columns]);
  return joined([text(tag), ints(crc32(payload)), longs(payload.length), payload]);
}

function json(tag: string, value: unknown): Uint8Array {
  const said = text(JSON.stringify(value));
  return block(tag, 0, said.length, said);
}

const joined = (parts: readonly Uint8Array[]) => new Uint8Array(Buffer.concat(parts));
