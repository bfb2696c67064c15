import { closeSync, openSync, readSync } from 'node:fs';
import { KiB } from '../../base/bytes.ts';
import type { Mapping } from '../mapping.ts';

/** Smaller ones are a library's without asking its file. */
const WORTH_ASKING = 1024 * KiB;
const PAGE = 4 * KiB;
const HEAD_BYTES = 64;
const PT_LOAD = 1;
const MOST_SEGMENTS = 64;

interface Segment {
  readonly offset: number;
  readonly bytes: number;
}

/**
 * Variables that begin as zeros follow a library's mappings, without its name: 85 MiB of libcublasLt's. Its file tells how many, so that
 * they get its name here, and an arena that lies there by chance does not. `root`: the process's own `/`.
 */
export function withLibraryVariables(mappings: readonly Mapping[], root: string): Mapping[] {
  return mappings.flatMap((mapping, i) => {
    const before = mappings[i - 1];
    const follows = mapping.path === '' && before?.end === mapping.start && before.path !== '';
    if (!follows || mapping.size < WORTH_ASKING || !before.path.startsWith('/')) return [mapping];
    const end = Math.min(segmentEnd(before, root), mapping.end);
    if (end <= mapping.start) return [mapping];
    const size = end - mapping.start;
    const rss = Math.min(mapping.rss, size);
    const own = { ...mapping, end, size, rss, path: before.path };
    if (end === mapping.end) return [own];
    const rest = { ...mapping, start: end, size: mapping.end - end, rss: mapping.rss - rss };
    return [own, rest];
  });
}

/** Where the part of the file that a mapping is of ends in memory; 0 where that is not known. */
function segmentEnd({ path, start, offset, size }: Mapping, root: string): number {
  for (const one of segmentsOf(`${root}${path}`)) {
    const first = floor(one.offset);
    const place = offset - first;
    // The last mapping of a segment may begin behind its first page: a part of it has other rights.
    if (place < 0 || place + size > ceiling(one.bytes) + PAGE) continue;
    return ceiling(start - place + (one.offset - first) + one.bytes);
  }
  return 0;
}

const floor = (bytes: number) => Math.floor(bytes / PAGE) * PAGE;
const ceiling = (bytes: number) => Math.ceil(bytes / PAGE) * PAGE;

/** What a 64-bit program or library has in memory, the last in its file first; nothing where it is none. */
function segmentsOf(file: string): Segment[] {
  let descriptor: number | null = null;
  try {
    descriptor = openSync(file, 'r');
    const head = Buffer.alloc(HEAD_BYTES);
    if (readSync(descriptor, head, 0, HEAD_BYTES, 0) < HEAD_BYTES) return [];
    const isElf = head.readUInt32BE(0) === 0x7f454c46 && head[4] === 2 && head[5] === 1;
    const [each, many] = [head.readUInt16LE(54), head.readUInt16LE(56)];
    if (!isElf || each < 56 || many > MOST_SEGMENTS) return [];
    const table = Buffer.alloc(each * many);
    const read = readSync(descriptor, table, 0, table.length, Number(head.readBigUInt64LE(32)));
    if (read < table.length) return [];
    const found: Segment[] = [];
    for (let at = 0; at < table.length; at += each) {
      const figure = (place: number) => Number(table.readBigUInt64LE(at + place));
      if (table.readUInt32LE(at) === PT_LOAD) {
        found.push({ offset: figure(8), bytes: figure(40) });
      }
    }
    return found.sort((a, b) => b.offset - a.offset);
  } catch {
    return [];
  } finally {
    if (descriptor !== null) closeSync(descriptor);
  }
}
