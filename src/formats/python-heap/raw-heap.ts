import type { HeapTexts } from './texts.ts';

/** What the first reading of a file gives: everything but who refers to whom. Node 0 is above all roots. */
export interface RawHeap {
  readonly count: number;
  readonly ids: Float64Array;
  readonly sizes: Float64Array;
  /** Number in `types`, or, of data outside of Python, in `storageKinds`. */
  readonly types: Uint32Array;
  /** The first node that is no Python object but the data of arrays. */
  readonly firstStorage: number;
  /** References in nodes' own blocks; a key and its value are two. */
  readonly references: number;
  readonly typeTable: readonly TypeRow[];
  readonly storageKinds: readonly string[];
  /** Halves of addresses: from, to. */
  readonly more: Pairs;
  readonly own: Pairs;
  readonly roots: { readonly to: Uint32Array; readonly names: Uint32Array };
  /** Number of a text for each address (halves). */
  readonly named: readonly { readonly of: Uint32Array; readonly first: number }[];
  /** Objects in a row that have texts in a row. */
  readonly said: readonly NamedRow[];
  /** The first node of each block of objects that refer to others. */
  readonly referring: readonly number[];
  readonly texts: HeapTexts;
  readonly info: Readonly<Record<string, unknown>>;
}

/** `parts`: names of what its objects refer to, in order, for those that refer to just as much. */
export type TypeRow = readonly [name: string, module: string, parts?: readonly string[]];

export interface Pairs {
  readonly from: Uint32Array;
  readonly to: Uint32Array;
}

export interface NamedRow {
  readonly node: number;
  readonly count: number;
  /** Number of the first text. */
  readonly first: number;
}
