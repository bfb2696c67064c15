import { MiB } from '../../base/bytes.ts';

/**
 * Growth over the judged stretch that matters in practice. It falls with the number of values:
 * 0.75 % of the level for a thousand of them (a server's 50 MB in a day), 3 % for sixty (an
 * allocator's noise in a short run is no leak).
 */
export function growthFloor(values: number, level: number): number {
  const scarcity = Math.sqrt(1000 / Math.max(1, values));
  return Math.max(MiB * Math.max(1, scarcity), level * Math.max(0.0025, 0.0075 * scarcity));
}
