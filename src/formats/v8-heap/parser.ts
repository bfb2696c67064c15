import { FormatError } from '../../base/errors.ts';
import type { HeapInput } from '../heap-format.ts';
import { EdgeColumns, LineColumns, NodeColumns } from './columns.ts';
import { type Layout, readLayout } from './layout.ts';
import { NumberList } from './numbers.ts';
import { RawValue } from './raw-value.ts';
import { refuse, type SnapshotPart } from './snapshot-part.ts';
import { TextList } from './texts.ts';

const [QUOTE, COLON, COMMA, OPEN, CLOSE] = [0x22, 0x3a, 0x2c, 0x7b, 0x7d];
const MOST_HEADER = 1 << 20;
const LONGEST_KEY = 100;
const CUT = { hint: 'it was cut: take it again, and check that the disk has room' };

export interface Parsed {
  readonly layout: Layout;
  readonly nodes: NodeColumns;
  readonly edges: EdgeColumns;
  readonly texts: TextList;
  readonly lines: LineColumns;
}

/** Fed with a snapshot's bytes in order, it keeps columns of numbers and the places of texts. */
export class SnapshotParser {
  readonly #input: HeapInput;
  readonly #notice: ConstructorParameters<typeof TextList>[1];
  #offset = 0;
  #opened = false;
  #closed = false;
  /** Bytes of the key that is being read; null between keys. */
  #key: string | null = null;
  #keyWhole = false;
  #part: SnapshotPart | null = null;
  #layout: Layout | null = null;
  #header: RawValue | null = null;
  #nodes: { list: NumberList; columns: NodeColumns } | null = null;
  #edges: { list: NumberList; columns: EdgeColumns } | null = null;
  #texts: TextList | null = null;
  readonly #lines = new LineColumns();

  constructor(input: HeapInput, notice: ConstructorParameters<typeof TextList>[1]) {
    this.#input = input;
    this.#notice = notice;
  }

  push(bytes: Uint8Array): void {
    const base = this.#offset;
    for (let at = 0; at < bytes.length; ) {
      if (this.#part) {
        at = this.#part.take(bytes, at, bytes.length, base);
        if (this.#part.done) this.#finishPart(base + at);
      } else {
        this.#between(bytes[at]!, base + at);
        at++;
      }
    }
    this.#offset += bytes.length;
  }

  end(): Parsed {
    const { name } = this.#input;
    const [layout, nodes, edges, texts] = [this.#layout, this.#nodes, this.#edges, this.#texts];
    if (!this.#opened) throw new FormatError(`${name} is empty`);
    if (!this.#closed) throw refuse(name, this.#offset, 'it ends in the middle', CUT.hint);
    if (!layout || !nodes || !edges || !texts) {
      const missing = !layout ? 'snapshot' : !nodes ? 'nodes' : !edges ? 'edges' : 'strings';
      throw new FormatError(`${name}: it has no "${missing}"`, {
        hint: 'is it a heap snapshot of V8?',
      });
    }
    this.#sameCount('objects', layout.nodeCount, nodes.list.rows);
    this.#sameCount('references', layout.edgeCount, edges.list.rows);
    this.#sameCount('references', layout.edgeCount, nodes.columns.firstEdge[layout.nodeCount]!);
    return { layout, nodes: nodes.columns, edges: edges.columns, texts, lines: this.#lines };
  }

  #sameCount(what: string, said: number, found: number): void {
    if (said === found) return;
    throw new FormatError(
      `${this.#input.name}: its header counts ${said} ${what}, but there are ${found}`,
      CUT,
    );
  }

  /** Outside of values: brackets, keys, commas. */
  #between(byte: number, offset: number): void {
    if (this.#key !== null && !this.#keyWhole) {
      if (byte === QUOTE) this.#keyWhole = true;
      else this.#key += String.fromCharCode(byte);
      if (this.#key.length > LONGEST_KEY)
        throw refuse(this.#input.name, offset, 'a name is too long');
      return;
    }
    if (byte <= 0x20) return;
    if (!this.#opened) {
      if (byte !== OPEN) throw refuse(this.#input.name, offset, 'it is no heap snapshot of V8');
      this.#opened = true;
    } else if (this.#closed) {
      throw refuse(this.#input.name, offset, 'something follows after its end');
    } else if (this.#keyWhole) {
      if (byte !== COLON) throw refuse(this.#input.name, offset, 'it is not JSON');
      this.#part = this.#begin(this.#key!, offset);
      this.#key = null;
      this.#keyWhole = false;
    } else if (byte === QUOTE) {
      this.#key = '';
    } else if (byte === CLOSE) {
      this.#closed = true;
    } else if (byte !== COMMA) {
      throw refuse(this.#input.name, offset, 'it is not JSON');
    }
  }

  #begin(key: string, offset: number): SnapshotPart {
    const { name, size } = this.#input;
    const once = (there: unknown) => {
      if (there) throw refuse(name, offset, `"${key}" comes twice`);
    };
    if (key === 'snapshot') {
      once(this.#header);
      this.#header = new RawValue(name, MOST_HEADER);
      return this.#header;
    }
    if (key === 'strings') {
      once(this.#texts);
      this.#texts = new TextList(this.#input, this.#notice);
      return this.#texts;
    }
    if (key === 'locations' && this.#layout?.location) {
      const sink = this.#lines.sink(name, this.#layout);
      return new NumberList(name, 'locations', this.#layout.location.width, sink);
    }
    if (key !== 'nodes' && key !== 'edges') return new RawValue(name, 0);
    const layout = this.#layout;
    if (!layout)
      throw refuse(name, offset, `"${key}" comes before "snapshot", which says how to read it`);
    if (key === 'nodes') {
      once(this.#nodes);
      const columns = new NodeColumns(name, layout, size);
      const list = new NumberList(name, 'objects', layout.nodeWidth, columns.sink(name, layout));
      this.#nodes = { columns, list };
      return list;
    }
    once(this.#edges);
    const columns = new EdgeColumns(name, layout, size);
    const list = new NumberList(name, 'references', layout.edgeWidth, columns.sink(name, layout));
    this.#edges = { columns, list };
    return list;
  }

  #finishPart(offset: number): void {
    if (this.#part === this.#header) {
      this.#layout = readLayout(`${this.#input.name}, before byte ${offset}`, this.#header!.text());
    }
    this.#part = null;
  }
}
