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

/** Samples that a stretch keeps at most: two extremes of each of up to three series, and the last. */
const KEPT_PER_BUCKET = 7;

/** The tables of a recording being written, kept within a size. */
export class RecordingWriter {
  readonly #folder: string;
  readonly #maxBytes: number;
  readonly #tables = new Map<string, TableFile>();
  #queue: TableFile[] = [];
  #rewrite: { table: TableFile; job: Rewrite } | null = null;
  #bucketNs = 0;

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
      if (this.bytes < this.#maxBytes * FOLD_AT) return false;
      this.#planFold();
    }
    if (!this.#rewrite) {
      const table = this.#queue.shift();
      if (!table) return false;
      const keep = KEEP_NEWEST * this.#maxBytes * (table.bytes / this.bytes);
      const job = new Rewrite(this.#folder, table, this.#bucketNs, keep);
      this.#rewrite = { table, job };
    }
    const done = this.#step(this.#rewrite.job);
    if (done) {
      this.#tables.set(done.spec.name as TableName, done);
      this.#rewrite = null;
    }
    return this.#rewrite !== null || this.#queue.length > 0;
  }

  /** A rewrite that fails (a full disk) has lost its place: it is given up, the old table stays. */
  #step(job: Rewrite): TableFile | null {
    try {
      return job.step();
    } catch (error) {
      this.#rewrite = null;
      this.#queue = [];
      job.abandon();
      throw error;
    }
  }

  sync(): void {
    for (const table of this.#tables.values()) table.sync();
  }

  close(): void {
    this.#rewrite?.job.abandon();
    this.#rewrite = null;
    for (const table of this.#tables.values()) table.close();
  }

  /** Chooses how long a stretch is, so that the folded part fits its share. */
  #planFold(): void {
    const span = tableSpan(this.#folder, 'host') ?? tableSpan(this.#folder, 'process');
    const shrink = Math.max(4, this.bytes / (this.#maxBytes * FOLD_TO));
    const interval = span && span.rows > 0 ? span.spanNs / span.rows : 1e7;
    this.#bucketNs = interval * KEPT_PER_BUCKET * shrink;
    this.#queue = [...this.#tables.values()].sort((a, b) => b.bytes - a.bytes);
  }
}
