import type { Block } from './blocks.ts';

/** Blocks of objects that refer to others; of all else nothing is followed. */
export const REFERRING: ReadonlySet<string> = new Set(['NODE', 'LIST', 'DICT']);

/** What all objects have; the columns of their references or texts come after. */
export interface ObjectColumns {
  readonly ids: Float64Array;
  readonly sizes: Float64Array;
  /** Halves of the addresses of their types; of one alone where all have the same. */
  readonly types: Uint32Array;
}

/** Reads on from where a block begins. */
export function objectColumns({ version, words, nodes }: Block): ObjectColumns {
  if (version === 1) {
    const ids = floats(words.longs(nodes));
    const types = words.longs(nodes);
    return { ids, types, sizes: floats(words.longs(nodes)) };
  }
  const type = words.longs(1);
  const [head, width] = words.ints(2) as unknown as [number, number];
  const ids = floats(words.longs(nodes));
  const types = type[0] === 0 && type[1] === 0 ? words.longs(nodes) : type;
  if (width !== 4 && width !== 8) throw words.spoiled;
  const sizes = width === 4 ? Float64Array.from(words.ints(nodes)) : floats(words.longs(nodes));
  if (head !== 0) for (let i = 0; i < nodes; i++) sizes[i]! += head;
  return { ids, types, sizes };
}

/** The same without making anything of them. */
export function skipObjects({ version, words, nodes }: Block): void {
  if (version === 1) {
    words.longs(3 * nodes);
    return;
  }
  const type = words.longs(1);
  const width = words.ints(2)[1];
  words.longs(type[0] === 0 && type[1] === 0 ? 2 * nodes : nodes);
  if (width === 4) words.ints(nodes);
  else words.longs(nodes);
}

export function floats(halves: Uint32Array): Float64Array {
  const numbers = new Float64Array(halves.length / 2);
  for (let i = 0; i < numbers.length; i++)
    numbers[i] = halves[2 * i + 1]! * 2 ** 32 + halves[2 * i]!;
  return numbers;
}
