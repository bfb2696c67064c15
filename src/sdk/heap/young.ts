import { getHeapSpaceStatistics, getHeapStatistics } from 'node:v8';
import { collector } from '../v8/collector.ts';

/** An array of so many numbers is small enough to be made among the young. */
const NUMBERS = 500;
const ARRAY_BYTES = 8 * NUMBERS;
/** Of the room there is: of two halves that V8 copies between, no more than this fits into one beside what else is there. */
const SHARE_OF_ROOM = 0.3;
const HALF = 0.49;
/** V8 doubles the room after a few collections with so many survivors, or not at all. */
const MOST_COLLECTIONS = 16;

/** V8's young generation. */
export interface Young {
  /** Bytes set aside for it, and those of them that were ever written to. */
  readonly room: number;
  readonly touched: number;
  /** Bytes of it in use, and of all other objects. */
  readonly filled: number;
  readonly older: number;
}

export function young(): Young {
  const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')!;
  const { space_size: room, physical_space_size: touched, space_used_size: filled } = space;
  return { room, touched, filled, older: getHeapStatistics().used_heap_size - filled };
}

/**
 * Gives V8's young generation what writing a heap took from it. V8 shrinks it to 1 MiB for that, makes all young objects old, and
 * doubles the room when as many bytes as it has lived through collections: a program that has to earn that again holds less
 * than it would have without us, and collects at other times. So arrays live through collections here until there is as much room as there was; then
 * as many bytes as became old before their time, which would have counted. As much is written to as was, and as much filled, so
 * that the next collection comes when it would have come.
 */
export function restoreYoung(before: Young): void {
  const promoted = Math.min(before.filled, young().older - before.older);
  const collect = collector();
  // Then it earns its room again by itself.
  if (!collect) return;
  const minor = () => collect({ type: 'minor' });
  const live = (bytes: number) => {
    const arrays = Array.from({ length: bytes / ARRAY_BYTES }, array);
    minor();
    // They live until here.
    return arrays.length;
  };
  // Once: V8 gives its second half back when it shrinks, and until it needs it again tells half of the room.
  minor();
  for (let i = 0; young().room < before.room && i < MOST_COLLECTIONS; i++) {
    live(SHARE_OF_ROOM * young().room);
    minor();
  }
  if (promoted > 0) live(promoted);
  minor();
  for (let half = 0; half < 2 && young().touched < before.touched; half++) {
    const { room, filled } = young();
    garbage(Math.min(before.touched / 2, HALF * room) - filled);
    minor();
  }
  garbage(before.filled - young().filled);
}

const array = () => new Array<number>(NUMBERS).fill(0);

function garbage(bytes: number): void {
  for (let made = 0; made < bytes; made += ARRAY_BYTES) array();
}
