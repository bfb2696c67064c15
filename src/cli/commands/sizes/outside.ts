import { type MappedParts, mappedParts, readMappings } from '../../../sources/mappings.ts';

type Part = readonly [what: string, bytes: number];

const WORDS: Readonly<Record<keyof MappedParts, string>> = {
  code: 'code and libraries',
  files: 'other mapped files',
  heap: 'heap',
  blocks: "large anonymous blocks (arrays, allocators' arenas)",
  smallBlocks: 'small anonymous blocks',
  stacks: 'stacks',
  shared: 'shared memory',
  devices: 'mapped from devices',
};

/** What a process's mappings say, the largest first; null where they may not be read. */
export function partsOf(pid: number): Part[] | null {
  const mappings = readMappings(pid);
  if (!mappings || mappings.length === 0) return null;
  const parts = Object.entries(mappedParts(mappings)) as [keyof MappedParts, number][];
  return parts
    .filter(([, bytes]) => bytes > 0)
    .map(([kind, bytes]): Part => [WORDS[kind], bytes])
    .sort((a, b) => b[1] - a[1]);
}
