import { FormatError } from '../../base/errors.ts';
import type { Recording } from '../recording.ts';
import type { TableName } from '../schema.ts';
import type { Table } from '../table.ts';
import { folderFiles } from './files.ts';
import { GrowingTable } from './growing-table.ts';
import { openThrough, readTable } from './reader.ts';

/** A recording that is still written. Opened again and again, it reads of its tables what came since the last time. */
export class GrowingRecording {
  readonly #folder: string;
  readonly #tables = new Map<TableName, GrowingTable>();
  #known = false;

  constructor(folder: string) {
    this.#folder = folder;
  }

  open(): Recording {
    const files = folderFiles(this.#folder);
    const recording = openThrough(
      files,
      (name, damage) => this.#look(name) ?? readTable(files, name, damage),
      this.#known,
    );
    this.#known = true;
    return recording;
  }

  /** Of its tables, from the disk so far. */
  get bytesRead(): number {
    return [...this.#tables.values()].reduce((sum, { bytesRead }) => sum + bytesRead, 0);
  }

  #look(name: TableName): Table | null {
    const known = this.#tables.get(name) ?? new GrowingTable(this.#folder, name);
    this.#tables.set(name, known);
    try {
      return known.look();
    } catch (error) {
      if (error instanceof FormatError) return null;
      throw error;
    }
  }
}
