/**
 * The object graph of one process at one moment, as columns: millions of objects take a few typed
 * arrays instead of millions of JavaScript objects. A node is an object of Python or V8, or memory
 * that an object holds outside of it (the bytes of a numpy array). Edges are stored by their owner.
 */
export interface HeapGraph {
  readonly runtime: 'python' | 'v8';
  readonly nodes: HeapNodes;
  readonly edges: HeapEdges;
  /** Texts are decoded when asked for: most never are. */
  readonly strings: HeapStrings;
  /** What numbers in `nodes.type` mean: V8's "object", "closure"; Python's class names. */
  readonly types: readonly string[];
  /** What numbers in `edges.type` mean: "property", "element", "weak"; Python's "attribute", "item". */
  readonly edgeTypes: readonly string[];
  /** Where everything begins: objects that are alive without anybody in the graph holding them. */
  readonly roots: Uint32Array;
  /** Where functions were written, by ascending node; absent: the file does not tell. */
  readonly lines?: { readonly node: Uint32Array; readonly line: Uint32Array };
  /** Objects that are Highwater's own in this process; what only they hold is its own as well. */
  readonly ours?: Uint32Array;
  readonly about: HeapAbout;
}

export interface HeapNodes {
  readonly count: number;
  readonly type: Uint16Array;
  /** String: the kind that Heapy would print, as "dict of module.Class", or V8's constructor. */
  readonly kind: Uint32Array;
  /** String: a name of its own: a function's, a module's, the start of a text; 0 where there is none. */
  readonly name: Uint32Array;
  /** Bytes of the object itself. Sizes and ids go past 32 bits. */
  readonly size: Float64Array;
  /** The same object has the same id in the next snapshot: an address, or V8's id. */
  readonly id: Float64Array;
  /** Edges of node n are those from firstEdge[n] up to firstEdge[n + 1]. */
  readonly firstEdge: Uint32Array;
}

export interface HeapEdges {
  readonly count: number;
  readonly to: Uint32Array;
  readonly type: Uint8Array;
  /** String: the attribute or variable; for items the index itself. */
  readonly name: Uint32Array;
}

export interface HeapStrings {
  readonly count: number;
  text(id: number): string;
}

/** What is known of the process beside its objects. */
export interface HeapAbout {
  readonly pid?: number;
  /** Such as "CPython 3.11.9" or "Node 20.20.2". */
  readonly version?: string;
  /** Milliseconds since 1970. */
  readonly taken?: number;
  /** Resident bytes of the process when it was taken. */
  readonly rss?: number;
  /** Memory that no object accounts for, by name, in bytes: what the allocator keeps free, and so on. */
  readonly beyond?: Readonly<Record<string, number>>;
  /** What the reader had to leave out or repair, in words for a person. */
  readonly warnings: readonly string[];
}
