import { getHeapSpaceStatistics, getHeapStatistics } from 'node:v8';

/** An array of so many numbers is small enough to be made among the young. */
const NUMBERS = 500;
const ARRAY_BYTES = 8 * NUMBERS;
/** Of the room that is wanted: where V8 has not grown by then, it will not. */
const MOST_TIMES = 16;

/** V8's young generation. */
export interface Young {
  /** Bytes set aside for it. */
  readonly room: number;
  /** Bytes of it in use, and of all other objects. */
  readonly filled: number;
  readonly older: number;
}

export function young(): Young {
  const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')!;
  const { space_size: room, space_used_size: filled } = space;
  return { room, filled, older: getHeapStatistics().used_heap_size - filled };
}

/**
 * Gives V8's young generation what writing a heap took from it. V8 shrinks it to 1 MiB for that, makes all young objects old, and doubles the
 * room each time as many bytes as it has room for lived through a collection: a program that has to earn that again holds less
 * than it would have without us. So arrays are made that live through a collection, until there is as much room as there was, and then as
 * many bytes again as became old before their time, which would have counted.
 */
export function restoreYoung(before: Young): void {
  const promoted = Math.min(before.filled, young().older - before.older);
  for (let made = 0; young().room < before.room && made < MOST_TIMES * before.room; ) {
    made += live(young().room / 8);
  }
  if (promoted > 0) live(promoted);
}

/** Makes about so many bytes live through one collection, and no more than one, lest they become old; how many were made for that. */
function live(bytes: number): number {
  const half = young().room / 2;
  // A quarter of what fits lives at a time, so that one collection in three quarters of it comes.
  const living = Math.ceil(half / 4 / ARRAY_BYTES);
  const count = Math.ceil((3 * bytes) / ARRAY_BYTES);
  const arrays: number[][] = [];
  for (let i = 0; i < count; i++) arrays[i % living] = new Array(NUMBERS).fill(0);
  return count * ARRAY_BYTES;
}
