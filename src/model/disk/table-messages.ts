import type { TableName } from '../schema.ts';
import { type IndexEntry, parseIndex, verify } from './index-file.ts';
import type { Files } from './recording-files.ts';

/** What a table's two files hold: the messages that are whole, and what is not. */
export interface TableMessages {
  readonly data: Uint8Array;
  /** null when it is damaged. */
  readonly schema: Uint8Array | null;
  readonly whole: readonly IndexEntry[];
  readonly broken: readonly IndexEntry[];
  readonly badLines: number;
  /** Bytes of the data that no line of the index covers. */
  readonly strayBytes: number;
}

/** The messages of a table; null when it has no index, without which nothing can be checked. */
export function readMessages(files: Files, name: TableName): TableMessages | null {
  const first = readIndex(files, name);
  if (!first) return null;
  const found = sortOut(files.read(`${name}.arrow`) ?? new Uint8Array(), first);
  if (found.strayBytes === 0 && found.broken.length === 0) return found;
  return (
    afterInterruptedRewrite(files, name, first, found) ?? afterChange(files, name, first, found)
  );
}

/**
 * A rewrite puts its index in place first and then its data, so a crash between the two leaves
 * good data as `X.arrow.new`. Believed only if the index fits it better than `X.arrow`: a rewrite
 * that was just beginning leaves a file of that name too.
 */
function afterInterruptedRewrite(
  files: Files,
  name: TableName,
  index: Index,
  found: TableMessages,
): TableMessages | null {
  const data = files.read(`${name}.arrow.new`);
  const other = data && sortOut(data, index);
  return other && other.whole.length > found.whole.length ? other : null;
}

/**
 * A recording that is being written may have grown, or its table may have been replaced by a
 * rewrite, between reading the index and the data. Lines for batches that came after the data was
 * read are no damage.
 */
function afterChange(
  files: Files,
  name: TableName,
  first: Index,
  found: TableMessages,
): TableMessages {
  const index = readIndex(files, name);
  if (!index || index.text === first.text) return found;
  const replaced = found.broken.length > 0;
  const data = (replaced && files.read(`${name}.arrow`)) || found.data;
  const entries = index.entries.filter((entry) => entry.offset + entry.length <= data.length);
  return sortOut(data, { ...index, entries });
}

interface Index {
  readonly text: string;
  readonly entries: readonly IndexEntry[];
  readonly badLines: number;
}

function readIndex(files: Files, name: TableName): Index | null {
  const bytes = files.read(`${name}.idx`);
  if (!bytes) return null;
  const text = new TextDecoder().decode(bytes);
  return { text, ...parseIndex(text) };
}

function sortOut(data: Uint8Array, index: Index): TableMessages {
  let { badLines } = index;
  let schema: Uint8Array | null = null;
  let end = 0;
  let covered = 0;
  const whole: IndexEntry[] = [];
  const broken: IndexEntry[] = [];
  for (const entry of index.entries) {
    // Lines only ever grow; one that goes back is a copy, and would bring its rows twice.
    if (entry.offset < end) {
      badLines++;
      continue;
    }
    end = entry.offset + entry.length;
    covered += entry.length;
    const good = verify(entry, data);
    if (entry.kind === 'batch') (good ? whole : broken).push(entry);
    else if (good) schema = data.subarray(entry.offset, end);
  }
  const strayBytes = Math.max(0, data.length - covered);
  return { data, schema, whole, broken, badLines, strayBytes };
}
