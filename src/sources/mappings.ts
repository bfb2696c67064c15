import { readFileSync } from 'node:fs';
import { KiB } from '../base/bytes.ts';

/** What the memory of a process is, as far as that shows from outside: resident bytes by kind of mapping. */
export interface MappedParts {
  /** Programs and libraries, their data included. */
  readonly code: number;
  /** Other files that are mapped: models, arrays on disk, fonts. */
  readonly files: number;
  /** The heap that grows by brk. */
  readonly heap: number;
  /** Anonymous blocks of 1 MiB and more: arrays, and allocators' arenas. */
  readonly blocks: number;
  readonly smallBlocks: number;
  readonly stacks: number;
  readonly shared: number;
  readonly devices: number;
}

export interface Mapping {
  readonly size: number;
  readonly rss: number;
  readonly start: number;
  readonly end: number;
  readonly flags: string;
  readonly path: string;
}

const LARGE = 1024 * KiB;
/** Thread stacks lie above a page or more that nobody may touch. */
const MOST_GUARD = 1024 * KiB;
const MOST_STACK = 64 * 1024 * KiB;
const HEAD = /^([0-9a-f]+)-([0-9a-f]+) (\S{4}) \S+ \S+ \S+ *(.*)$/;

/** null: the process is gone, or not ours to read. */
export function readMappings(pid: number, proc = '/proc'): Mapping[] | null {
  try {
    return parseMappings(readFileSync(`${proc}/${pid}/smaps`, 'utf8'));
  } catch {
    return null;
  }
}

export function parseMappings(text: string): Mapping[] {
  const found: { -readonly [key in keyof Mapping]: Mapping[key] }[] = [];
  for (const line of text.split('\n')) {
    const head = HEAD.exec(line);
    if (head) {
      const [start, end] = [Number.parseInt(head[1]!, 16), Number.parseInt(head[2]!, 16)];
      found.push({ start, end, size: end - start, rss: 0, flags: head[3]!, path: head[4]! });
    } else if (line.startsWith('Rss:') && found.length > 0) {
      found.at(-1)!.rss = Number.parseInt(line.slice(4), 10) * KiB;
    }
  }
  return found;
}

export function mappedParts(mappings: readonly Mapping[]): MappedParts {
  const programs = new Set(mappings.filter((one) => one.flags[2] === 'x').map((one) => one.path));
  const parts = {
    code: 0,
    files: 0,
    heap: 0,
    blocks: 0,
    smallBlocks: 0,
    stacks: 0,
    shared: 0,
    devices: 0,
  };
  mappings.forEach((mapping, i) => {
    parts[kindOf(mapping, mappings[i - 1], programs)] += mapping.rss;
  });
  return parts;
}

function kindOf(
  { path, flags, size, start }: Mapping,
  before: Mapping | undefined,
  programs: ReadonlySet<string>,
): keyof MappedParts {
  if (path.startsWith('/dev/shm/') || /^\/(memfd:|SYSV)/.test(path)) return 'shared';
  if (path.startsWith('/dev/zero')) return 'shared';
  if (path.startsWith('/dev/')) return 'devices';
  if (path.startsWith('/')) return programs.has(path) ? 'code' : 'files';
  if (path === '[heap]') return 'heap';
  if (path.startsWith('[stack')) return 'stacks';
  // The variables of a library that begin as zeros follow its mappings, without its name.
  if (before?.end === start && programs.has(before.path) && before.path.startsWith('/')) {
    return 'code';
  }
  const guarded = before?.flags === '---p' && before.path === '' && before.end === start;
  if (guarded && before.size <= MOST_GUARD && size <= MOST_STACK && flags.startsWith('rw-')) {
    return 'stacks';
  }
  return size >= LARGE ? 'blocks' : 'smallBlocks';
}
