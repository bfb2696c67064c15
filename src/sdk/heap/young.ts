import { getHeapSpaceStatistics } from 'node:v8';

/** An array of so many numbers is small enough to be made among the young. */
const NUMBERS = 500;
const ARRAY_BYTES = 8 * NUMBERS;
/** Of the room that is wanted: where V8 has not grown by then, it will not. */
const MOST_TIMES = 16;

/** Bytes that V8 has set aside for young objects. */
export function youngRoom(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')!.space_size;
}

/**
 * Gives V8's young generation its room again. V8 shrinks it to 1 MiB to write a heap down, and doubles it each time as much as it
 * has room for lived through a collection: a program that has to earn that again holds less than it would have without us. So
 * arrays are made of which each lives through one collection at most, lest it become old, until there is as much room as there was.
 */
export function restoreYoungRoom(wanted: number): void {
  for (let made = 0; youngRoom() < wanted && made < MOST_TIMES * wanted; ) {
    const living = Math.ceil(youngRoom() / 8 / ARRAY_BYTES);
    const arrays: number[][] = [];
    for (let i = 0; i < 3 * living; i++) arrays[i % living] = new Array(NUMBERS).fill(0);
    made += 3 * living * ARRAY_BYTES;
  }
}
