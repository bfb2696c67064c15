import { readFileSync } from 'node:fs';
import { KiB } from '../../base/bytes.ts';
import { type Mapping, parseMappings } from '../mapping.ts';
import { withLibraryVariables } from './library-variables.ts';

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

const LARGE = 1024 * KiB;
/** Thread stacks lie above a page or more that nobody may touch. */
const MOST_GUARD = 1024 * KiB;
const MOST_STACK = 64 * 1024 * KiB;

/** null: the process is gone, or not ours to read. */
export function readMappings(pid: number, proc = '/proc'): Mapping[] | null {
  try {
    const mappings = parseMappings(readFileSync(`${proc}/${pid}/smaps`, 'utf8'));
    return withLibraryVariables(mappings, `${proc}/${pid}/root`);
  } catch {
    return null;
  }
}

export function mappedParts(mappings: readonly Mapping[]): MappedParts {
  const programs = programsIn(mappings);
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

/** One part of a process: all mappings of a kind, or those of one file. */
export interface MappedRow {
  readonly kind: keyof MappedParts;
  /** Empty: all that have no row of their own. */
  readonly name: string;
  readonly bytes: number;
}

/** Files are named from here on, so many of each kind. */
const WORTH_NAMING = 1024 * KiB;
const MOST_NAMED = 8;

/** The parts of a process, which add up to what is resident: kinds, and of large files their names. */
export function mappedRows(mappings: readonly Mapping[]): MappedRow[] {
  const programs = programsIn(mappings);
  const byKind = new Map<keyof MappedParts, Map<string, number>>();
  let library = '';
  mappings.forEach((mapping, i) => {
    const kind = kindOf(mapping, mappings[i - 1], programs);
    if (mapping.path.startsWith('/')) library = mapping.path;
    // What a library's variables take belongs to it.
    const name = mapping.path.startsWith('/') ? mapping.path : kind === 'code' ? library : '';
    const names = byKind.get(kind) ?? new Map<string, number>();
    names.set(name, (names.get(name) ?? 0) + mapping.rss);
    byKind.set(kind, names);
  });
  return [...byKind].flatMap(([kind, names]) => largestNamed(kind, names));
}

function largestNamed(kind: keyof MappedParts, names: ReadonlyMap<string, number>): MappedRow[] {
  const ranked = [...names].sort((a, b) => b[1] - a[1]);
  const named = ranked
    .filter(([name, bytes]) => name !== '' && bytes >= WORTH_NAMING)
    .slice(0, MOST_NAMED);
  const all = ranked.reduce((sum, [, bytes]) => sum + bytes, 0);
  const rest = named.reduce((left, [, bytes]) => left - bytes, all);
  const rows = named.map(([name, bytes]) => ({ kind, name, bytes }));
  return rest > 0 ? [...rows, { kind, name: '', bytes: rest }] : rows;
}

const programsIn = (mappings: readonly Mapping[]): ReadonlySet<string> =>
  new Set(mappings.filter((one) => one.flags[2] === 'x').map((one) => one.path));

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
  // The variables of a library that begin as zeros follow its mappings, without its name. What is larger, and not known to be such, is mostly an arena that lies there by chance.
  const follows = before?.end === start && before.path.startsWith('/');
  if (follows && size < LARGE && programs.has(before.path)) {
    return 'code';
  }
  const guarded = before?.flags === '---p' && before.path === '' && before.end === start;
  if (guarded && before.size <= MOST_GUARD && size <= MOST_STACK && flags.startsWith('rw-')) {
    return 'stacks';
  }
  return size >= LARGE ? 'blocks' : 'smallBlocks';
}
