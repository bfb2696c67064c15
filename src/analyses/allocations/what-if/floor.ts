import { OP, type Program } from '../replay/program.ts';
import { requestOf } from '../replay/requests.ts';
import { LEAST, SMALL_SEGMENT } from '../replay/rounding.ts';

/**
 * What no layout can do without: the most that was in use at one moment, each request rounded up to 512 bytes, and the sum to a
 * page of 2 MiB.
 */
export function floorOf({ events, ops, rows, life, trace }: Program): number {
  const rounded = (bytes: number) => Math.max(LEAST, Math.ceil(bytes / LEAST) * LEAST);
  const sizeOf = (row: number) => rounded(life.size[row]!);
  let now = 0;
  for (let row = life.allocs; row < life.count; row++) now += sizeOf(row);
  let most = now;
  let nextOom = 0;
  for (let event = 0; event < events; event++) {
    const op = ops[event];
    if (op === OP.allocate) now += sizeOf(rows[event]!);
    else if (op === OP.free) now -= sizeOf(rows[event]!);
    else if (op === OP.passing) most = Math.max(most, now + sizeOf(rows[event]!));
    else if (op === OP.fail) most = Math.max(most, now + rounded(requestOf(trace.ooms, nextOom++)));
    if (now > most) most = now;
  }
  return Math.ceil(most / SMALL_SEGMENT) * SMALL_SEGMENT;
}
