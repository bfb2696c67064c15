import { crc32 } from 'node:zlib';

/**
 * `<table>.idx`: one line for each message of `<table>.arrow`, written after the message itself:
 *
 *     kind offset length rows crc32-of-the-message crc32-of-this-line
 *
 * so that a cut or damaged table yields every whole batch, and a damaged index line costs one
 * batch and never a wrong one.
 */
export interface IndexEntry {
  readonly kind: 'schema' | 'batch';
  readonly offset: number;
  readonly length: number;
  readonly rows: number;
  readonly crc: number;
}

const hex = (n: number) => n.toString(16).padStart(8, '0');

export function formatEntry(entry: IndexEntry): string {
  const body = `${entry.kind} ${entry.offset} ${entry.length} ${entry.rows} ${hex(entry.crc)}`;
  return `${body} ${hex(crc32(body))}\n`;
}

/** The entries of an index; lines that fail their check are counted, not believed. */
export function parseIndex(text: string): { entries: IndexEntry[]; badLines: number } {
  const entries: IndexEntry[] = [];
  let badLines = 0;
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const match = /^((schema|batch) (\d+) (\d+) (\d+) ([0-9a-f]{8})) ([0-9a-f]{8})$/.exec(line);
    if (!match || hex(crc32(match[1]!)) !== match[7]) {
      badLines++;
      continue;
    }
    entries.push({
      kind: match[2] as IndexEntry['kind'],
      offset: Number(match[3]),
      length: Number(match[4]),
      rows: Number(match[5]),
      crc: Number.parseInt(match[6]!, 16),
    });
  }
  return { entries, badLines };
}

/** Whether the bytes at the entry's place are whole. */
export function verify(entry: IndexEntry, data: Uint8Array): boolean {
  const end = entry.offset + entry.length;
  return end <= data.length && crc32(data.subarray(entry.offset, end)) === entry.crc;
}
