import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeHeapSnapshot } from 'node:v8';

interface Snapshot {
  readonly snapshot: {
    readonly meta: {
      readonly node_fields: readonly string[];
      readonly node_types: readonly [readonly string[]];
      readonly edge_fields: readonly string[];
      readonly edge_types: readonly [readonly string[]];
    };
  };
  readonly nodes: readonly number[];
  readonly edges: readonly number[];
  readonly strings: readonly string[];
}

/** Parts of the program, or of V8's own, that data refers to. */
const FOREIGN = new Set(['code', 'closure', 'object shape', 'synthetic', 'hidden']);

/** What V8 says values take with all that they refer to, each alone: by one heap snapshot. */
export function v8Sizes(values: Readonly<Record<string, unknown>>): Map<string, number> {
  const name = (key: string) => `highwaterTruth_${key}`;
  for (const [key, value] of Object.entries(values)) {
    Object.assign(globalThis, { [name(key)]: value });
  }
  const file = writeHeapSnapshot(join(tmpdir(), `highwater-truth-${process.pid}.heapsnapshot`));
  for (const key of Object.keys(values)) Reflect.deleteProperty(globalThis, name(key));
  const graph = new Graph(JSON.parse(readFileSync(file, 'utf8')) as Snapshot);
  rmSync(file);
  return new Map(Object.keys(values).map((key) => [key, graph.reachable(name(key))]));
}

class Graph {
  readonly #snapshot: Snapshot;
  readonly #first = [0];
  readonly #byName = new Map<string, number>();

  constructor(snapshot: Snapshot) {
    this.#snapshot = snapshot;
    const { node_fields } = snapshot.snapshot.meta;
    for (let node = 0; node < snapshot.nodes.length / node_fields.length; node++) {
      this.#first.push(this.#first[node]! + this.#field(node, 'edge_count'));
    }
    for (let node = 0; node + 1 < this.#first.length; node++) {
      for (const { type, name, to } of this.#edges(node)) {
        if (type === 'property' && name.startsWith('highwaterTruth_')) this.#byName.set(name, to);
      }
    }
  }

  reachable(mark: string): number {
    const seen = new Set([this.#byName.get(mark)!]);
    let total = 0;
    for (const node of seen) {
      total += this.#field(node, 'self_size');
      for (const { type, name, to } of this.#edges(node)) {
        const foreign = type === 'weak' || type === 'shortcut' || name === '__proto__';
        if (!foreign && name !== 'map' && this.#isData(to)) seen.add(to);
      }
    }
    return total;
  }

  #field(node: number, name: string): number {
    const { nodes, snapshot } = this.#snapshot;
    const { node_fields } = snapshot.meta;
    return nodes[node * node_fields.length + node_fields.indexOf(name)]!;
  }

  *#edges(node: number) {
    const { edges, strings, snapshot } = this.#snapshot;
    const { edge_fields, edge_types, node_fields } = snapshot.meta;
    for (let edge = this.#first[node]!; edge < this.#first[node + 1]!; edge++) {
      const at = edge * edge_fields.length;
      const type = edge_types[0][edges[at]!]!;
      const numbered = type === 'element' || type === 'hidden';
      const name = numbered ? '' : strings[edges[at + 1]!]!;
      yield { type, name, to: edges[at + 2]! / node_fields.length };
    }
  }

  #isData(node: number): boolean {
    const { strings, snapshot } = this.#snapshot;
    const name = strings[this.#field(node, 'name')]!;
    const type = snapshot.meta.node_types[0][this.#field(node, 'type')]!;
    if (/ArrayBufferData|Dictionary|Hash/.test(name)) return true;
    return !FOREIGN.has(type) && !name.startsWith('system /');
  }
}
