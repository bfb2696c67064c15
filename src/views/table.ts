import { formatBytes } from '../base/bytes.ts';

/** A table ready to be set: all cells are text without control characters. */
export interface TextTable {
  readonly head: readonly string[];
  readonly body: readonly (readonly string[])[];
  /** Columns of figures, set flush right. */
  readonly right: ReadonlySet<number>;
  /** What did not fit, if anything. */
  readonly rest: string | null;
}

/** A table with a line above it. */
export interface TableSection {
  readonly title: string;
  readonly rows: TextTable;
}

/** Stands where there is no figure. */
export const NONE = '–';

export const bytesOr = (bytes: number | null): string =>
  bytes === null ? NONE : formatBytes(bytes);
