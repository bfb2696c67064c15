import type { Pool } from '../../../model/allocations/names.ts';

/** `default pool`, `private pool 0,1 of stream 7`. */
export function poolText({ stream, pool }: Pool): string {
  const isDefault = pool === null || (pool[0] === 0 && pool[1] === 0);
  const name = isDefault ? 'default pool' : `private pool ${pool.join(',')}`;
  return stream === '0' ? name : `${name}, stream ${stream}`;
}
