import { closeSync, fdatasyncSync, ftruncateSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { ArrowEncoder } from '../arrow-writer.ts';
import type { TableSpec } from '../schema.ts';
import type { Batch } from '../table.ts';
import { formatEntry, type IndexEntry } from './index-file.ts';
import { createAnew } from './regular-files.ts';

/** Names of a table's two files; `.new` ones belong to a rewrite that is under way. */
export function tablePaths(folder: string, table: string, suffix = ''): [string, string] {
  return [join(folder, `${table}.arrow${suffix}`), join(folder, `${table}.idx${suffix}`)];
}

/** One table being written: an Arrow stream that grows by whole, checksummed batches. */
export class TableFile {
  readonly spec: TableSpec;
  readonly #folder: string;
  readonly #encoder: ArrowEncoder;
  readonly #dataFd: number;
  readonly #indexFd: number;
  #dataBytes = 0;
  #indexBytes = 0;

  constructor(folder: string, spec: TableSpec, suffix = '') {
    this.spec = spec;
    this.#folder = folder;
    this.#encoder = new ArrowEncoder(spec);
    const [dataPath, indexPath] = tablePaths(folder, spec.name, suffix);
    // The index first: data of a rewrite without its index would look like a finished one.
    this.#indexFd = createAnew(indexPath);
    this.#dataFd = createAnew(dataPath);
    this.#write('schema', 0, this.#encoder.schemaBytes, crc32(this.#encoder.schemaBytes));
  }

  /** Bytes on disk, index included. */
  get bytes(): number {
    return this.#dataBytes + this.#indexBytes;
  }

  append(batch: Batch): void {
    if (batch.rows === 0) return;
    const bytes = this.#encoder.encode(batch);
    this.#write('batch', batch.rows, bytes, crc32(bytes));
  }

  /** Appends a message that is known to be whole, without decoding it. */
  appendMessage(entry: IndexEntry, bytes: Uint8Array): void {
    this.#write('batch', entry.rows, bytes, entry.crc);
  }

  sync(): void {
    fdatasyncSync(this.#dataFd);
    fdatasyncSync(this.#indexFd);
  }

  close(): void {
    closeSync(this.#dataFd);
    closeSync(this.#indexFd);
  }

  /**
   * Puts a finished rewrite in the place of the table. The index goes first: a reader that finds
   * `X.arrow.new` without `X.idx.new` knows that only the second rename is missing.
   */
  install(suffix: string): void {
    this.sync();
    const [newData, newIndex] = tablePaths(this.#folder, this.spec.name, suffix);
    const [data, index] = tablePaths(this.#folder, this.spec.name);
    renameSync(newIndex, index);
    renameSync(newData, data);
  }

  #write(kind: IndexEntry['kind'], rows: number, bytes: Uint8Array, crc: number): void {
    const entry = { kind, offset: this.#dataBytes, length: bytes.length, rows, crc };
    const line = Buffer.from(formatEntry(entry));
    try {
      writeAll(this.#dataFd, bytes, this.#dataBytes);
      writeAll(this.#indexFd, line, this.#indexBytes);
    } catch (error) {
      // A full disk leaves half a message; cut it off so that what stands is whole.
      for (const [fd, size] of [
        [this.#dataFd, this.#dataBytes],
        [this.#indexFd, this.#indexBytes],
      ] as const) {
        try {
          ftruncateSync(fd, size);
        } catch {}
      }
      throw error;
    }
    this.#dataBytes += bytes.length;
    this.#indexBytes += line.length;
  }
}

function writeAll(fd: number, bytes: Uint8Array, position: number): void {
  let done = 0;
  while (done < bytes.length) {
    done += writeSync(fd, bytes, done, bytes.length - done, position + done);
  }
}
