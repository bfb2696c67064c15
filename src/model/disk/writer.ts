import { SECOND_NS } from '../../base/time.ts';
import type { TableName, TableSpec } from '../schema.ts';
import type { Batch } from '../table.ts';
import { Rewrite, tableSpan } from './rewrite.ts';
import { TableFile } from './table-file.ts';

/**
 * Shares of `--max-disk`. A rewrite needs room for the old and the new table at once, so it starts
 * early enough that both together stay within the limit.
 */
const FOLD_AT = 0.6;
const KEEP_NEWEST = 0.15;
const FOLD_TO = 0.15;
/** A recording that folding cannot make small enough (marks are never dropped) is tried again only
 * when it has grown by this much; otherwise every flush would rewrite it all. */
const FOLD_AGAIN = 0.05;

/** Samples that a stretch keeps at most: two extremes of each of up to four series, and the last. */
const KEPT_PER_BUCKET = 9;

/** The tables of a recording being written, kept within a size. */
export class RecordingWriter {
  readonly #folder: string;
  readonly #maxBytes: number;
  readonly #tables = new Map<string, TableFile>();
  #queue: TableFile[] = [];
  #rewrite: { table: TableFile; rewrite: Rewrite } | null = null;
  #bucketNs = 0;
  #foldedTo = 0;
  /** The longest stretch of which only extremes are kept; null while every sample is there. */
  foldedSeconds: number | null = null;

  constructor(folder: string, maxBytes: number) {
    this.#folder = folder;
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    let sum = 0;
    for (const table of this.#tables.values()) sum += table.bytes;
    return sum;
  }

  append(spec: TableSpec, batch: Batch): void {
    let table = this.#tables.get(spec.name);
    if (!table) {
      table = new TableFile(this.#folder, spec);
      this.#tables.set(spec.name, table);
    }
    table.append(batch);
  }

  /**
   * Starts or goes on with making the recording smaller, when it has grown past its share.
   * Returns true while there is more to do; call it again when nothing is waiting to be written.
   */
  fold(): boolean {
    if (!this.#rewrite && this.#queue.length === 0) {
      const again = this.#foldedTo + this.#maxBytes * FOLD_AGAIN;
      if (this.bytes < Math.max(this.#maxBytes * FOLD_AT, again)) return false;
      this.#planFold();
    }
    if (!this.#rewrite) {
      const table = this.#queue.shift();
      if (!table) return false;
      const keep = KEEP_NEWEST * this.#maxBytes * (table.bytes / this.bytes);
      const rewrite = new Rewrite(this.#folder, table, this.#bucketNs, keep);
      this.#rewrite = { table, rewrite };
    }
    const done = this.#step(this.#rewrite.rewrite);
    if (done) {
      this.#tables.set(done.spec.name as TableName, done);
      this.#rewrite = null;
    }
    const more = this.#rewrite !== null || this.#queue.length > 0;
    if (!more) this.#foldedTo = this.bytes;
    return more;
  }

  /** A rewrite that fails (a full disk) has lost its place: it is given up, the old table stays. */
  #step(rewrite: Rewrite): TableFile | null {
    try {
      return rewrite.step();
    } catch (error) {
      this.#rewrite = null;
      this.#queue = [];
      rewrite.abandon();
      throw error;
    }
  }

  sync(): void {
    for (const table of this.#tables.values()) table.sync();
  }

  close(): void {
    this.#rewrite?.rewrite.abandon();
    this.#rewrite = null;
    for (const table of this.#tables.values()) table.close();
  }

  /** Chooses how long a stretch is, so that the folded part fits its share. */
  #planFold(): void {
    const span = tableSpan(this.#folder, 'host') ?? tableSpan(this.#folder, 'process');
    const shrink = Math.max(4, this.bytes / (this.#maxBytes * FOLD_TO));
    const interval = span && span.rows > 0 ? span.spanNs / span.rows : 1e7;
    this.#bucketNs = interval * KEPT_PER_BUCKET * shrink;
    this.foldedSeconds = Math.max(this.foldedSeconds ?? 0, this.#bucketNs / SECOND_NS);
    this.#queue = [...this.#tables.values()].sort((a, b) => b.bytes - a.bytes);
  }
}
