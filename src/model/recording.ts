import type { RunInfo } from './run.ts';
import { TABLES, type TableName, tableSpec } from './schema.ts';
import { Table } from './table.ts';

/** Everything one run left behind, opened for reading. Tables are read when first asked for. */
export interface Recording {
  readonly run: RunInfo;
  /** What could not be read; grows as tables are read. */
  readonly damage: readonly string[];
  /** Names of the tables that have rows on disk. */
  readonly tables: readonly TableName[];
  /** The table, empty when the recording has none of that name. */
  table(name: TableName): Table;
  /** The text behind a string id; '' for an id that was lost. */
  text(id: number): string;
}

/** A recording and what to call it where there are several. */
export interface NamedRecording {
  readonly name: string;
  readonly recording: Recording;
}

/** A recording over tables that some store loads on demand. */
export function makeRecording(
  run: RunInfo,
  tables: readonly TableName[],
  load: (name: TableName) => Table,
  damage: readonly string[] = [],
): Recording {
  const loaded = new Map<TableName, Table>();
  let texts: Map<number, string> | undefined;
  const table = (name: TableName): Table => {
    let found = loaded.get(name);
    if (!found) {
      found = tables.includes(name) ? load(name) : new Table(tableSpec(name), []);
      loaded.set(name, found);
    }
    return found;
  };
  const text = (id: number): string => {
    if (!texts) {
      const strings = table('strings');
      const values = strings.utf8('value');
      texts = new Map(Array.from(strings.u32('id'), (key, row) => [key, values[row]!]));
    }
    return texts.get(id) ?? '';
  };
  return { run, tables, damage, table, text };
}

/** All table names, in the order of the format's document. */
export const TABLE_NAMES: readonly TableName[] = [...(Object.keys(TABLES) as TableName[]), 'host'];
