import type { HeapGraph } from '../../model/heap/graph.ts';
import type { HeapFormat, HeapInput, HeapReadOptions } from '../heap-format.ts';
import { AddedTexts, kindsOf, OwnedKinds } from './kinds.ts';
import type { Layout } from './layout.ts';
import { applyNames, isOfInterest, meaningsOf } from './names.ts';
import { type Parsed, SnapshotParser } from './parser.ts';
import { redactV8Heap } from './redact.ts';

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
  redact: redactV8Heap,
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

function graphOf(input: HeapInput, { layout, nodes, edges, texts, lines }: Parsed): HeapGraph {
  const textAt = texts.reader();
  const { nodeCount, edgeCount, nodeTypes, edgeTypes } = layout;
  const columns = columnsOf(nodes, nodeCount);
  const added = new AddedTexts(texts.count);
  const kind = kindsOf(nodeTypes, { count: nodeCount, ...columns }, added);
  const rows = { count: nodeCount, ...columns, kind };
  const links = {
    count: edgeCount,
    to: edges.to.subarray(0, edgeCount),
    type: edges.type.subarray(0, edgeCount),
    name: edges.name.subarray(0, edgeCount),
  };
  const meanings = meaningsOf(texts.count, texts.noticed, textAt);
  const owned = new OwnedKinds(texts.count, added, textAt);
  applyNames(input.name, layout, { nodes: rows, edges: links }, meanings, owned);
  openShortcuts(layout, rows, links);
  return {
    runtime: 'v8',
    nodes: rows,
    edges: links,
    strings: {
      count: texts.count + added.all.length,
      text: (id) => (id < texts.count ? textAt(id) : (added.all[id - texts.count] ?? '')),
    },
    types: nodeTypes,
    edgeTypes,
    roots: Uint32Array.of(...(nodeCount > 0 ? [0] : [])),
    lines: lines.columns(),
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
