import { MiB } from '../../../base/bytes.ts';
import { type AllocatorConf, SIZE_CLASSES } from './conf.ts';

/** All sizes are multiples of this. */
export const LEAST = 512;
/** The largest request that comes from the pool of small blocks. */
export const SMALL = MiB;
/** Segments of that pool, and what larger segments are rounded to. */
export const SMALL_SEGMENT = 2 * MiB;
/** Requests from here on get a segment of their own size. */
const OWN_SEGMENT = 10 * MiB;

/** What a request takes up, by the settings. */
export function rounded(conf: AllocatorConf, requested: number): number {
  if (requested < LEAST) return LEAST;
  const divisions = conf.roundupDivisions[sizeClass(requested)]!;
  if (divisions > 1 && requested > LEAST * divisions) return toDivision(requested, divisions);
  return Math.ceil(requested / LEAST) * LEAST;
}

/** Classes begin at 1 MiB: what is smaller belongs to the first, what is larger than all to the last. */
function sizeClass(bytes: number): number {
  return Math.max(0, Math.min(exponentBelow(bytes) - 20, SIZE_CLASSES - 1));
}

/** The exponent of the largest power of 2 that is not larger. */
const exponentBelow = (bytes: number) =>
  bytes < 2 ** 31 ? 31 - Math.clz32(bytes) : Math.floor(Math.log2(bytes));

/** That power itself: nearly all are found without computing one, of which there would be millions. */
const powerBelow = (bytes: number) =>
  bytes < 2 ** 31 ? 1 << (31 - Math.clz32(bytes)) : 2 ** exponentBelow(bytes);

/** A size that has more than 512 bytes in each division. */
function toDivision(bytes: number, divisions: number): number {
  const part = powerBelow(bytes) / powerBelow(divisions);
  return Math.ceil(bytes / part) * part;
}

/** The segment that is fetched for a request of a rounded size. */
export function segmentSize(conf: AllocatorConf, size: number): number {
  if (size <= SMALL) return SMALL_SEGMENT;
  if (size < OWN_SEGMENT) return conf.largeSegmentSize;
  return Math.ceil(size / SMALL_SEGMENT) * SMALL_SEGMENT;
}
