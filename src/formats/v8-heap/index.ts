import { FormatError } from '../../base/errors.ts';
import type { HeapGraph } from '../../model/heap/graph.ts';
import type { HeapFormat, HeapInput, HeapReadOptions } from '../heap-format.ts';
import { AddedTexts, kindsOf, OWNED } from './kinds.ts';
import type { Layout } from './layout.ts';
import { type Parsed, SnapshotParser } from './parser.ts';
import { loosenTables, mayBeEntry, tableOf } from './weak-maps.ts';

/**
 * Heap snapshots of V8 (`.heapsnapshot`), as Node, Chrome and Deno write them: one JSON object with
 * two very long lists of numbers, and texts at the end.
 */
export const v8Heap: HeapFormat = {
  id: 'v8-heap',
  title: 'V8 heap snapshot',
  extensions: ['.heapsnapshot'],
  sniff(head) {
    return /^\s*\{\s*"snapshot"\s*:\s*\{/.test(new TextDecoder().decode(head.subarray(0, 200)));
  },
  read: readSnapshot,
};

async function readSnapshot(input: HeapInput, options: HeapReadOptions = {}): Promise<HeapGraph> {
  const parser = new SnapshotParser(input, isOfInterest);
  let done = 0;
  const take = (piece: Uint8Array) => {
    parser.push(piece);
    done += piece.length;
    if (input.size) options.onProgress?.(Math.min(1, done / input.size));
  };
  const pieces = input.stream();
  // Waiting at each piece costs where nothing has to be waited for.
  if (Symbol.iterator in pieces) for (const piece of pieces) take(piece);
  else for await (const piece of pieces) take(piece);
  return graphOf(input, parser.end());
}

/** Texts that the reader itself must know: names of entries of WeakMaps and of owned stores. */
function isOfInterest(_id: number, length: number, first: number, last: number): boolean {
  return mayBeEntry(length, first, last) || OWNED.some((name) => maybe(name, length, first, last));
}

const maybe = (name: string, length: number, first: number, last: number) =>
  name.length === length && name.charCodeAt(0) === first && name.charCodeAt(length - 1) === last;

function graphOf(input: HeapInput, { layout, nodes, edges, texts }: Parsed): HeapGraph {
  const textAt = texts.reader();
  checkNames(input.name, layout, texts.count, nodes.name, edges);
  const tables = new Map<number, number>();
  const owned = new Map<number, string>();
  for (const id of texts.noticed) {
    const text = textAt(id);
    const table = tableOf(text);
    if (table !== null) tables.set(id, table);
    else if ((OWNED as readonly string[]).includes(text)) owned.set(id, text);
  }
  const { nodeCount, edgeCount, edgeTypes } = layout;
  const rows = { count: nodeCount, ...columnsOf(nodes, nodeCount) };
  const links = {
    count: edgeCount,
    to: edges.to.subarray(0, edgeCount),
    type: edges.type.subarray(0, edgeCount),
    name: edges.name.subarray(0, edgeCount),
  };
  openShortcuts(layout, rows, links);
  const [internal, weak] = [edgeTypes.indexOf('internal'), edgeTypes.indexOf('weak')];
  const added = new AddedTexts(texts.count);
  loosenTables({ nodes: rows, edges: links }, tables, internal, weak);
  const kind = kindsOf(layout, rows, links, added, owned, textAt);
  return {
    runtime: 'v8',
    nodes: { ...rows, kind },
    edges: links,
    strings: {
      count: texts.count + added.all.length,
      text: (id) => (id < texts.count ? textAt(id) : (added.all[id - texts.count] ?? '')),
    },
    types: layout.nodeTypes,
    edgeTypes,
    roots: Uint32Array.of(...(nodeCount > 0 ? [0] : [])),
    about: { ...(input.modified !== undefined && { taken: input.modified }), warnings: [] },
  };
}

function columnsOf({ type, name, size, id, firstEdge }: Parsed['nodes'], count: number) {
  return {
    type: type.subarray(0, count),
    name: name.subarray(0, count),
    size: size.subarray(0, count),
    id: id.subarray(0, count),
    firstEdge: firstEdge.subarray(0, count + 1),
  };
}

/** The root's shortcuts lead to the global objects and do hold them: they are ordinary references. */
function openShortcuts(
  { edgeTypes }: Layout,
  rows: { count: number; firstEdge: Uint32Array },
  links: { type: Uint8Array },
): void {
  const [shortcut, property] = [edgeTypes.indexOf('shortcut'), edgeTypes.indexOf('property')];
  if (shortcut < 0 || property < 0 || rows.count === 0) return;
  for (let edge = rows.firstEdge[0]!; edge < rows.firstEdge[1]!; edge++) {
    if (links.type[edge] === shortcut) links.type[edge] = property;
  }
}

/** Names must be among the texts, which come last in the file. */
function checkNames(
  file: string,
  layout: Layout,
  texts: number,
  names: Uint32Array,
  edges: { name: Uint32Array; type: Uint8Array },
): void {
  const wrong = (what: string, row: number, name: number) =>
    new FormatError(`${file}: ${what} ${row} is named by text ${name}, and there are ${texts}`, {
      hint: 'it is damaged: take it again',
    });
  for (let node = 0; node < layout.nodeCount; node++) {
    if (names[node]! >= texts) throw wrong('object', node, names[node]!);
  }
  const numbered = layout.edgeTypes.map((type) => type === 'element' || type === 'hidden');
  for (let edge = 0; edge < layout.edgeCount; edge++) {
    if (edges.name[edge]! >= texts && !numbered[edges.type[edge]!]) {
      throw wrong('reference', edge, edges.name[edge]!);
    }
  }
}
