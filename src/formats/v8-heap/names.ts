import { FormatError } from '../../base/errors.ts';
import { OWNED, type OwnedKinds } from './kinds.ts';
import type { Layout } from './layout.ts';

/** Texts that the reader itself must know: names of entries of WeakMaps and of owned stores. */
export function isOfInterest(_id: number, length: number, first: number, last: number): boolean {
  if (mayBeEntry(length, first, last)) return true;
  for (const name of OWNED) if (maybe(name, length, first, last)) return true;
  return false;
}

const maybe = (name: string, length: number, first: number, last: number) =>
  name.length === length && name.charCodeAt(0) === first && name.charCodeAt(length - 1) === last;

/** What texts mean to the reader as names of internal references. */
export interface Meanings {
  /** By text: a place in OWNED + 1, or ENTRY; 0: nothing. */
  readonly of: Uint8Array;
  /** Of those that are ENTRY, the id of the table. */
  readonly tables: ReadonlyMap<number, number>;
}

const ENTRY = OWNED.length + 1;

export function meaningsOf(
  texts: number,
  noticed: readonly number[],
  textAt: (id: number) => string,
): Meanings {
  const of = new Uint8Array(texts);
  const tables = new Map<number, number>();
  for (const id of noticed) {
    const text = textAt(id);
    const table = tableOf(text);
    if (table !== null) tables.set(id, table);
    of[id] = table !== null ? ENTRY : (OWNED as readonly string[]).indexOf(text) + 1;
  }
  return { of, tables };
}

interface Graph {
  readonly nodes: {
    readonly count: number;
    readonly type: Uint16Array;
    readonly name: Uint32Array;
    readonly id: Float64Array;
    readonly firstEdge: Uint32Array;
    readonly kind: Uint32Array;
  };
  readonly edges: {
    readonly to: Uint32Array;
    readonly type: Uint8Array;
    readonly name: Uint32Array;
  };
}

/**
 * One pass over all references, when the texts that name them are known; the texts come last in the file.
 * Names must be among them. The stores of an object are given their kind. And the value of a WeakMap lives
 * as long as its key does, so the key's reference holds it and the table's does not: that one is made weak.
 */
export function applyNames(
  file: string,
  { nodeTypes, edgeTypes }: Layout,
  { nodes, edges }: Graph,
  { of: meaning, tables }: Meanings,
  owned: OwnedKinds,
): void {
  const { count, type: nodeType, name: nodeName, id, firstEdge, kind } = nodes;
  const { to, type, name } = edges;
  const texts = meaning.length;
  for (let node = 0; node < count; node++) {
    if (nodeName[node]! >= texts) throw wrong(file, 'object', node, nodeName[node]!, texts);
  }
  const numbered = Uint8Array.from(edgeTypes, (is) =>
    is === 'element' || is === 'hidden' ? 1 : 0,
  );
  const [internal, weak] = [edgeTypes.indexOf('internal'), edgeTypes.indexOf('weak')];
  const [object, array] = [nodeTypes.indexOf('object'), nodeTypes.indexOf('array')];
  for (let node = 0, edge = 0; node < count; node++) {
    for (const end = firstEdge[node + 1]!; edge < end; edge++) {
      const is = type[edge]!;
      if (numbered[is] === 1) continue;
      const text = name[edge]!;
      if (text >= texts) throw wrong(file, 'reference', edge, text, texts);
      if (is !== internal) continue;
      const means = meaning[text]!;
      if (means === 0) continue;
      if (means === ENTRY) {
        if (weak >= 0 && tables.get(text) === id[node]) type[edge] = weak;
      } else if (nodeType[node] === object && nodeType[to[edge]!] === array) {
        kind[to[edge]!] = owned.of(means - 1, nodeName[node]!);
      }
    }
  }
}

function wrong(file: string, what: string, row: number, name: number, texts: number): FormatError {
  return new FormatError(
    `${file}: ${what} ${row} is named by text ${name}, and there are ${texts}`,
    { hint: 'it is damaged: take it again' },
  );
}

/** V8 draws a value of a WeakMap twice, from the table and from the key, with the same long name. */
const WEAK_MAP_ENTRY = / pair in WeakMap \(table @(\d+)\)$/;

/** Whether a text might be the name of such an entry, by little of it. */
function mayBeEntry(length: number, first: number, last: number): boolean {
  return length > 40 && last === 0x29 && first >= 0x30 && first <= 0x39;
}

/** The table's id in an entry's name; null: the text is none. */
function tableOf(text: string): number | null {
  const match = WEAK_MAP_ENTRY.exec(text);
  return match ? Number(match[1]) : null;
}
