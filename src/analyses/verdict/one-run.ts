import { MiB } from '../../base/bytes.ts';

/** Peaks of the same program run twice differ by so much: threads, allocators and the kernel take their turns otherwise. */
const SHARE = 0.01;
const BYTES = 4 * MiB;

/** Whether two peaks, of one run each, are no further apart than two runs of the same may be. */
export const isTieOfOneRun = (a: number, b: number): boolean =>
  Math.abs(a - b) <= Math.max(BYTES, SHARE * Math.max(a, b));

export const ONE_RUN_EACH = 'with one run of each it is not known how much runs of the same vary';
