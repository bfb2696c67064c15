import { closeSync, fstatSync, readSync } from 'node:fs';
import { errnoCode } from '../../base/errors.ts';
import { decodeStream } from '../arrow-reader.ts';
import type { TableName } from '../schema.ts';
import { inOrderOfTime } from '../schema.ts';
import { isSound } from '../sound-table.ts';
import { Table, TableBuffer } from '../table.ts';
import { type IndexEntry, parseIndex, verify } from './index-file.ts';
import { unlikeSpec } from './reader.ts';
import { openRegular } from './regular-files.ts';
import { tablePaths } from './table-file.ts';

/** What was read of a table that is still written. */
interface Progress {
  /** Of the two files: a rewrite puts others in their place. */
  readonly inodes: readonly [data: number, index: number];
  readonly schema: Uint8Array;
  readonly buffer: TableBuffer;
  /** Bytes of either file that are done with. */
  dataEnd: number;
  indexEnd: number;
  lastNs: number;
  table: Table;
}

/**
 * A table while somebody writes it: each look reads the lines of the index that came since, and the batches they
 * vouch for. What is not as a writer leaves it is for the ordinary reader, which knows of every kind of damage.
 */
export class GrowingTable {
  readonly #name: TableName;
  readonly #paths: readonly [data: string, index: string];
  #read: Progress | null = null;
  /** Its rows do not come in their order, so that it has to be sorted as a whole. */
  #unordered = false;
  /** Read from the disk so far. */
  bytesRead = 0;

  constructor(folder: string, name: TableName) {
    this.#name = name;
    this.#paths = tablePaths(folder, name);
  }

  /** All rows by now; null where the ordinary reader has to look. */
  look(): Table | null {
    if (this.#unordered) return null;
    const fds: number[] = [];
    try {
      // The index first: what it has lines for is in the data by then.
      const index = openRegular(this.#paths[1]);
      fds.push(index);
      const data = openRegular(this.#paths[0]);
      fds.push(data);
      if (this.#goOn(data, index)) return this.#read!.table;
    } catch (error) {
      if (errnoCode(error) !== 'ENOENT') throw error;
    } finally {
      for (const fd of fds) closeSync(fd);
    }
    this.#read = null;
    return null;
  }

  #goOn(data: number, index: number): boolean {
    const [{ ino: dataInode }, { ino: indexInode, size }] = [fstatSync(data), fstatSync(index)];
    let read = this.#read;
    if (read && (read.inodes[0] !== dataInode || read.inodes[1] !== indexInode)) read = null;
    const [from, dataFrom] = [read?.indexEnd ?? 0, read?.dataEnd ?? 0];
    if (size < from) return false;
    const lines = new TextDecoder().decode(this.#bytes(index, from, size));
    const whole = lines.slice(0, lines.lastIndexOf('\n') + 1);
    const { entries, badLines } = parseIndex(whole);
    if (badLines > 0) return false;
    if (entries.length === 0) return read !== null;
    const end = entries.at(-1)!.offset + entries.at(-1)!.length;
    const bytes = this.#bytes(data, dataFrom, end);
    if (!areNeighbours(entries, dataFrom, bytes)) return false;
    return this.#add(read, {
      inodes: [dataInode, indexInode],
      hasSchema: entries[0]!.kind === 'schema' ? entries[0]!.length : 0,
      bytes,
      dataEnd: end,
      indexEnd: from + Buffer.byteLength(whole),
    });
  }

  #add(
    read: Progress | null,
    came: Pick<Progress, 'inodes' | 'dataEnd' | 'indexEnd'> & {
      /** Bytes of it, at the start; 0: none. */
      readonly hasSchema: number;
      readonly bytes: Uint8Array;
    },
  ): boolean {
    const schema = read?.schema ?? came.bytes.slice(0, came.hasSchema);
    if (schema.length === 0 || (read && came.hasSchema > 0)) return false;
    const { spec, batches } = decodeStream(this.#name, [
      schema,
      came.bytes.subarray(came.hasSchema),
    ]);
    if (!read && unlikeSpec(this.#name, spec)) return false;
    const buffer = read?.buffer ?? new TableBuffer(spec, 1024);
    let lastNs = read?.lastNs ?? Number.NEGATIVE_INFINITY;
    for (const { rows, columns } of batches) {
      if (!isSound(spec, columns, lastNs)) {
        this.#unordered = true;
        return false;
      }
      buffer.append(columns, 0, rows);
      if (inOrderOfTime(spec) && rows > 0) lastNs = (columns[0] as Float64Array)[rows - 1]!;
    }
    const { inodes, dataEnd, indexEnd } = came;
    const table = new Table(spec, buffer.rows > 0 ? [buffer.view()] : []);
    this.#read = { inodes, schema, buffer, dataEnd, indexEnd, lastNs, table };
    return true;
  }

  /** Fewer than asked for where the file is shorter. */
  #bytes(fd: number, start: number, end: number): Uint8Array {
    const bytes = new Uint8Array(end - start);
    let done = 0;
    while (done < bytes.length) {
      const got = readSync(fd, bytes, done, bytes.length - done, start + done);
      if (got === 0) break;
      done += got;
    }
    this.bytesRead += done;
    return bytes.subarray(0, done);
  }
}

/** Whether they follow each other from `start` on, and all of them are whole. */
function areNeighbours(entries: readonly IndexEntry[], start: number, bytes: Uint8Array): boolean {
  let at = start;
  for (const entry of entries) {
    if (entry.offset !== at || !verify({ ...entry, offset: at - start }, bytes)) return false;
    at += entry.length;
  }
  return true;
}
