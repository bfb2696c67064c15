import { FormatError } from '../../base/errors.ts';
import { count as counted } from '../../base/text.ts';
import type { Layout } from './layout.ts';
import type { RecordSink } from './numbers.ts';
import { refuse } from './snapshot-part.ts';

/** Where the size of the file is not known, columns begin with this many rows and grow. */
const FIRST_ROWS = 1 << 16;

type Column =
  | Uint8Array<ArrayBuffer>
  | Uint16Array<ArrayBuffer>
  | Uint32Array<ArrayBuffer>
  | Float64Array<ArrayBuffer>;

/**
 * Rows to make room for. The header's count is believed only as far as the file can hold so many:
 * each number takes a digit and a comma.
 */
function room(
  file: string,
  what: string,
  count: number,
  width: number,
  size: number | null,
): number {
  if (size === null) return Math.min(count, FIRST_ROWS);
  if (count > size / (2 * width)) {
    throw new FormatError(
      `${file}: its header counts ${count} ${what}, more than ${counted(size, 'byte')} can hold`,
      { hint: 'it is damaged: take it again' },
    );
  }
  return count;
}

function grown<T extends Column>(old: T, rows: number): T {
  if (rows <= old.length) return old;
  const larger = new (old.constructor as new (length: number) => T)(rows);
  larger.set(old);
  return larger;
}

/** The nodes' columns while they are read. */
export class NodeColumns {
  type: Uint16Array<ArrayBuffer>;
  name: Uint32Array<ArrayBuffer>;
  size: Float64Array<ArrayBuffer>;
  id: Float64Array<ArrayBuffer>;
  firstEdge: Uint32Array<ArrayBuffer>;
  readonly #most: number;

  constructor(file: string, layout: Layout, size: number | null) {
    const rows = room(file, 'objects', layout.nodeCount, layout.nodeWidth, size);
    this.#most = layout.nodeCount;
    this.type = new Uint16Array(rows);
    this.name = new Uint32Array(rows);
    this.size = new Float64Array(rows);
    this.id = new Float64Array(rows);
    this.firstEdge = new Uint32Array(rows + 1);
  }

  sink(file: string, { node, nodeTypes, nodeWidth, nodeCount, edgeCount }: Layout): RecordSink {
    const types = nodeTypes.length;
    const { type: typeAt, name: nameAt, size: sizeAt, id: idAt, edges: edgesAt } = node;
    let edges = 0;
    return (numbers, records, first, placeOf) => {
      const end = Math.min(first + records, this.#most);
      this.#makeRoom(end);
      const { type, name, size, id, firstEdge } = this;
      for (let row = first, at = 0; row < end; row++, at += nodeWidth) {
        const is = numbers[at + typeAt]!;
        edges += numbers[at + edgesAt]!;
        if (is >= types || edges > edgeCount) {
          const what =
            is >= types
              ? `object ${row} is of type ${is} of ${types}`
              : `its first ${row + 1} of ${nodeCount} objects have more references than the ${edgeCount} that its header counts`;
          throw refuse(file, placeOf(row - first), what);
        }
        type[row] = is;
        name[row] = numbers[at + nameAt]!;
        size[row] = numbers[at + sizeAt]!;
        id[row] = numbers[at + idAt]!;
        firstEdge[row + 1] = edges;
      }
      if (end < first + records) throw tooMany(file, 'objects', end, placeOf(end - first));
    };
  }

  #makeRoom(end: number): void {
    if (end <= this.type.length) return;
    const rows = Math.min(this.#most, end * 2);
    this.type = grown(this.type, rows);
    this.name = grown(this.name, rows);
    this.size = grown(this.size, rows);
    this.id = grown(this.id, rows);
    this.firstEdge = grown(this.firstEdge, rows + 1);
  }
}

/** The references' columns while they are read. */
export class EdgeColumns {
  to: Uint32Array<ArrayBuffer>;
  type: Uint8Array<ArrayBuffer>;
  name: Uint32Array<ArrayBuffer>;
  readonly #most: number;

  constructor(file: string, layout: Layout, size: number | null) {
    const rows = room(file, 'references', layout.edgeCount, layout.edgeWidth, size);
    this.#most = layout.edgeCount;
    this.to = new Uint32Array(rows);
    this.type = new Uint8Array(rows);
    this.name = new Uint32Array(rows);
  }

  sink(file: string, { edge, edgeTypes, edgeWidth, nodeCount, nodeWidth }: Layout): RecordSink {
    const types = edgeTypes.length;
    const { type: typeAt, name: nameAt, to: toAt } = edge;
    return (numbers, records, first, placeOf) => {
      const end = Math.min(first + records, this.#most);
      this.#makeRoom(end);
      const { to, type, name } = this;
      for (let row = first, at = 0; row < end; row++, at += edgeWidth) {
        const is = numbers[at + typeAt]!;
        const place = numbers[at + toAt]!;
        // What does not fit 32 bits is not met again when it is multiplied.
        const target = (place / nodeWidth) >>> 0;
        if (is >= types || target >= nodeCount || target * nodeWidth !== place) {
          const what =
            is >= types
              ? `is of type ${is} of ${types}`
              : `leads to ${place}, where no object begins`;
          throw refuse(file, placeOf(row - first), `reference ${row} ${what}`);
        }
        to[row] = target;
        type[row] = is;
        name[row] = numbers[at + nameAt]!;
      }
      if (end < first + records) throw tooMany(file, 'references', end, placeOf(end - first));
    };
  }

  #makeRoom(end: number): void {
    if (end <= this.to.length) return;
    const rows = Math.min(this.#most, end * 2);
    this.to = grown(this.to, rows);
    this.type = grown(this.type, rows);
    this.name = grown(this.name, rows);
  }
}

/** Where functions were written. They are few, and a later V8 may tell of more than functions. */
export class LineColumns {
  readonly #lines = new Map<number, number>();

  sink(file: string, { location, nodeCount, nodeWidth }: Layout): RecordSink {
    const { width, node: nodeAt, line: lineAt } = location!;
    return (numbers, records, first, placeOf) => {
      for (let record = 0, at = 0; record < records; record++, at += width) {
        const place = numbers[at + nodeAt]!;
        const node = place / nodeWidth;
        if (!Number.isInteger(node) || node >= nodeCount) {
          const what = `location ${first + record} is of ${place}, where no object begins`;
          throw refuse(file, placeOf(record), what);
        }
        // From 0 in the file, from 1 for people.
        this.#lines.set(node, numbers[at + lineAt]! + 1);
      }
    };
  }

  columns(): { node: Uint32Array; line: Uint32Array } {
    const node = Uint32Array.from(this.#lines.keys()).sort();
    return { node, line: Uint32Array.from(node, (one) => this.#lines.get(one)!) };
  }
}

function tooMany(file: string, what: string, most: number, offset: number): FormatError {
  return refuse(file, offset, `it has more ${what} than the ${most} that its header counts`);
}
