import { count } from '../../base/text.ts';
import type { HeapAbout, HeapGraph } from '../../model/heap/graph.ts';
import type { HeapFormat, HeapInput, HeapReadOptions } from '../heap-format.ts';
import { Addresses } from './addresses.ts';
import { isPythonHeap } from './blocks.ts';
import { EDGE_TYPES } from './edge-types.ts';
import { readEdges } from './edges.ts';
import { kindsOf } from './kinds.ts';
import { readNodes } from './nodes.ts';
import { redactPythonHeap } from './redact.ts';

const MOST_OWN = 10_000;

/** A heap that the Python agent wrote; docs/python-heap.md is the format to the byte. */
export const pythonHeap: HeapFormat = {
  id: 'python-heap',
  title: 'heap of a Python process',
  extensions: ['.hwheap'],
  sniff: isPythonHeap,
  read: readPythonHeap,
  redact: redactPythonHeap,
};

export async function readPythonHeap(
  input: HeapInput,
  options: HeapReadOptions = {},
): Promise<HeapGraph> {
  const raw = await readNodes(input, options);
  const addresses = new Addresses(raw.ids, raw.count);
  const kinds = kindsOf(raw, addresses);
  const { edges, firstEdge, lost } = await readEdges(input, raw, kinds, addresses, options);
  const { type, kind, name } = kinds;
  return {
    runtime: 'python',
    nodes: { count: raw.count, type, kind, name, size: raw.sizes, id: raw.ids, firstEdge },
    edges,
    strings: raw.texts,
    types: kinds.types,
    edgeTypes: EDGE_TYPES,
    roots: Uint32Array.of(0),
    ours: ownNodes(raw.info.own, addresses),
    about: aboutOf(raw.info, lost),
  };
}

/** Highwater's own modules, as far as the file tells. */
function ownNodes(own: unknown, addresses: Addresses): Uint32Array {
  const known = Array.isArray(own) ? own.slice(0, MOST_OWN) : [];
  const found = known.map((id) => addresses.find(Number(id) >>> 0, (Number(id) / 2 ** 32) >>> 0));
  return Uint32Array.from(found.filter((node) => node !== 0));
}

function aboutOf(info: Readonly<Record<string, unknown>>, lost: number): HeapAbout {
  const number = (value: unknown) =>
    typeof value === 'number' && Number.isFinite(value) ? value : undefined;
  const beyond: Record<string, number> = {};
  const said = typeof info.beyond === 'object' && info.beyond !== null ? info.beyond : {};
  for (const [name, bytes] of Object.entries(said).slice(0, 50)) {
    const known = number(bytes);
    if (known !== undefined) beyond[name.slice(0, 100)] = known;
  }
  const pid = number(info.pid);
  const taken = number(info.taken);
  const rss = number(info.rss);
  const warnings: string[] = [];
  if (lost > 0) {
    warnings.push(
      `${count(lost, 'reference')} to objects that came or went while the heap was written`,
    );
  }
  return {
    ...(pid !== undefined && { pid }),
    ...(typeof info.version === 'string' && { version: info.version.slice(0, 100) }),
    ...(taken !== undefined && { taken }),
    ...(rss !== undefined && { rss }),
    ...(Object.keys(beyond).length > 0 && { beyond }),
    warnings,
  };
}
