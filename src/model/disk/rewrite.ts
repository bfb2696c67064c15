import { closeSync, openSync, readFileSync, readSync, rmSync, statSync } from 'node:fs';
import { decodeStream } from '../arrow-reader.ts';
import type { TableName } from '../schema.ts';
import { TableFold } from './fold.ts';
import { type IndexEntry, parseIndex } from './index-file.ts';
import { TableFile, tablePaths } from './table-file.ts';

const SUFFIX = '.new';

/**
 * Rewrites one table smaller while it goes on growing: old batches are folded, the newest are
 * copied byte for byte, and what is appended meanwhile is picked up at the end. Work comes in
 * steps, so that the writer can flush samples in between.
 */
export class Rewrite {
  readonly #folder: string;
  readonly #old: TableFile;
  readonly #new: TableFile;
  readonly #folding: TableFold;
  readonly #dataFd: number;
  readonly #schema: Uint8Array;
  readonly #fold: IndexEntry[];
  readonly #copyFrom: number;

  /** `keepBytes`: how much of the newest data stays as it is. */
  constructor(folder: string, table: TableFile, bucketNs: number, keepBytes: number) {
    this.#folder = folder;
    this.#old = table;
    const name = table.spec.name as TableName;
    this.#new = new TableFile(folder, table.spec, SUFFIX);
    this.#folding = new TableFold(name, table.spec, bucketNs, (batch) => this.#new.append(batch));
    this.#dataFd = openSync(tablePaths(folder, name)[0], 'r');
    const entries = this.#entries();
    this.#schema = this.#read(entries[0]!);
    const batches = entries.slice(1);
    const end = batches.reduce((max, entry) => Math.max(max, entry.offset + entry.length), 0);
    this.#fold = batches
      .filter((entry) => entry.offset + entry.length <= end - keepBytes)
      .reverse();
    this.#copyFrom = this.#fold[0] ? this.#fold[0].offset + this.#fold[0].length : 0;
  }

  /** Does a little work; true when the new table stands in the place of the old. */
  step(): TableFile | null {
    const entry = this.#fold.pop();
    if (entry) {
      const decoded = decodeStream(this.#old.spec.name, [this.#schema, this.#read(entry)]);
      for (const batch of decoded.batches) this.#folding.add(batch);
      return null;
    }
    this.#folding.end();
    for (const rest of this.#entries()) {
      if (rest.kind === 'batch' && rest.offset >= this.#copyFrom) {
        this.#new.appendMessage(rest, this.#read(rest));
      }
    }
    this.#new.install(SUFFIX);
    closeSync(this.#dataFd);
    this.#old.close();
    return this.#new;
  }

  /** Gives up, leaving the table as it was. */
  abandon(): void {
    closeSync(this.#dataFd);
    this.#new.close();
    const [data, index] = tablePaths(this.#folder, this.#old.spec.name, SUFFIX);
    // The data first: without its index it would look like a finished rewrite.
    rmSync(data, { force: true });
    rmSync(index, { force: true });
  }

  #entries(): IndexEntry[] {
    const path = tablePaths(this.#folder, this.#old.spec.name)[1];
    return parseIndex(readFileSync(path, 'utf8')).entries;
  }

  #read(entry: IndexEntry): Uint8Array {
    const bytes = new Uint8Array(entry.length);
    readSync(this.#dataFd, bytes, 0, entry.length, entry.offset);
    return bytes;
  }
}

/** When the first and the last batch of a table begin, and how many rows lie between. */
export function tableSpan(folder: string, name: string): { spanNs: number; rows: number } | null {
  const [dataPath, indexPath] = tablePaths(folder, name);
  if (statSync(dataPath, { throwIfNoEntry: false }) === undefined) return null;
  const { entries } = parseIndex(readFileSync(indexPath, 'utf8'));
  const [schema, first] = entries;
  const last = entries.at(-1);
  if (!schema || !first || !last || first === last) return null;
  const fd = openSync(dataPath, 'r');
  try {
    const at = (entry: IndexEntry) => {
      const bytes = new Uint8Array(entry.length);
      readSync(fd, bytes, 0, entry.length, entry.offset);
      return bytes;
    };
    const time = (entry: IndexEntry) => {
      const { batches } = decodeStream(name, [at(schema), at(entry)]);
      return (batches[0]!.columns[0] as Float64Array)[0]!;
    };
    return {
      spanNs: time(last) - time(first),
      rows: entries.reduce((sum, entry) => sum + entry.rows, 0),
    };
  } finally {
    closeSync(fd);
  }
}
