import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs';

const PAGE = 4096;
const MOST_HEADERS = 64;

interface CodeMap {
  readonly start: number;
  readonly end: number;
  readonly offset: number;
  readonly inode: number;
  readonly file: string;
}

/** Where a process has which file's code. */
export class CodeMaps {
  readonly #maps: CodeMap[] = [];

  constructor(pid: number) {
    const line = /^([0-9a-f]+)-([0-9a-f]+) r.x. ([0-9a-f]+) \S+ (\d+) +(\/.*)$/gm;
    for (const [, start, end, offset, inode, file] of readFileSync(
      `/proc/${pid}/maps`,
      'utf8',
    ).matchAll(line)) {
      const [from, to, at] = [start!, end!, offset!].map((hex) => Number.parseInt(hex, 16));
      this.#maps.push({ start: from!, end: to!, offset: at!, inode: Number(inode), file: file! });
    }
  }

  fileAt(address: number): string | null {
    return this.#at(address)?.file ?? null;
  }

  /**
   * A place for that many bytes of code which nothing of the program's uses: the last page of a file's code is filled up with
   * whatever follows in the file. First in the files that have these addresses, which are never unloaded.
   */
  room(length: number, addresses: readonly number[]): number | null {
    const first = addresses.map((address) => this.#at(address)).filter((map) => map !== undefined);
    for (const map of [...first, ...this.#maps]) {
      const used = usedEnd(map);
      if (used === null) continue;
      const from = Math.ceil(used / 16) * 16;
      if (from + length <= map.end && map.end - used < PAGE) return from;
    }
    return null;
  }

  #at(address: number): CodeMap | undefined {
    return this.#maps.find(({ start, end }) => start <= address && address < end);
  }
}

/** Where the code in a mapping ends, by the file's own table of what is to be loaded; null where that cannot be told. */
function usedEnd({ file, inode, offset, start }: CodeMap): number | null {
  try {
    // One that was replaced on the disk is another.
    if (statSync(file).ino !== inode) return null;
    for (const segment of segments(file)) {
      const isCode = segment.type === 1 && (segment.flags & 1) !== 0;
      if (isCode && segment.offset - (segment.offset % PAGE) === offset)
        return start + (segment.offset - offset) + segment.size;
    }
  } catch {
    // It is none that can be read.
  }
  return null;
}

function* segments(file: string) {
  const fd = openSync(file, 'r');
  try {
    const read = (at: number, length: number) => {
      const bytes = Buffer.alloc(length);
      return readSync(fd, bytes, 0, length, at) === length ? bytes : null;
    };
    const head = read(0, 64);
    if (head?.readUInt32BE(0) !== 0x7f454c46) return;
    const [at, size] = [Number(head.readBigUInt64LE(32)), head.readUInt16LE(54)];
    const count = Math.min(head.readUInt16LE(56), MOST_HEADERS);
    for (let i = 0; i < count; i++) {
      const one = read(at + i * size, 56);
      if (!one) return;
      yield {
        type: one.readUInt32LE(0),
        flags: one.readUInt32LE(4),
        offset: Number(one.readBigUInt64LE(8)),
        size: Number(one.readBigUInt64LE(40)), // in memory
      };
    }
  } finally {
    closeSync(fd);
  }
}
