/** V8 draws a value of a WeakMap twice, from the table and from the key, with the same long name. */
const ENTRY = / pair in WeakMap \(table @(\d+)\)$/;

/** Whether a text might be the name of such an entry, by little of it. */
export function mayBeEntry(length: number, first: number, last: number): boolean {
  return length > 40 && last === 0x29 && first >= 0x30 && first <= 0x39;
}

/** The table's id in an entry's name; null: the text is none. */
export function tableOf(text: string): number | null {
  const match = ENTRY.exec(text);
  return match ? Number(match[1]) : null;
}

interface Graph {
  readonly nodes: { count: number; id: Float64Array; firstEdge: Uint32Array };
  readonly edges: { name: Uint32Array; type: Uint8Array };
}

/**
 * The value lives as long as its key does, so the key's reference holds it and the table's does not:
 * that one is made a weak one. Returns how many there were.
 */
export function loosenTables(
  { nodes, edges }: Graph,
  tables: ReadonlyMap<number, number>,
  internal: number,
  weak: number,
): number {
  if (tables.size === 0 || weak < 0) return 0;
  let loosened = 0;
  for (let node = 0; node < nodes.count; node++) {
    for (let edge = nodes.firstEdge[node]!; edge < nodes.firstEdge[node + 1]!; edge++) {
      if (edges.type[edge] !== internal || tables.get(edges.name[edge]!) !== nodes.id[node])
        continue;
      edges.type[edge] = weak;
      loosened++;
    }
  }
  return loosened;
}
