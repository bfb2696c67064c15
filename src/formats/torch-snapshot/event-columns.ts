import { NO_ID } from '../../model/allocations/actions.ts';

export interface EventColumns {
  /** Microseconds of Unix time as the file has them; NaN where it has none. */
  readonly time: Float64Array;
  readonly pool: Uint32Array;
  readonly action: Uint8Array;
  /** Halves of 64 bits, the lower first. */
  readonly address: Uint32Array;
  readonly size: Float64Array;
  readonly stack: Uint32Array;
  /** Empty where no event has a tag. */
  tag: Uint32Array;
}

export function newColumns(rows: number): EventColumns {
  return {
    time: new Float64Array(rows),
    pool: new Uint32Array(rows),
    action: new Uint8Array(rows),
    address: new Uint32Array(2 * rows),
    size: new Float64Array(rows),
    stack: new Uint32Array(rows),
    tag: new Uint32Array(0),
  };
}

export const untagged = (rows: number) => new Uint32Array(rows).fill(NO_ID);

export function grown(old: EventColumns): EventColumns {
  const columns = newColumns(Math.ceil(old.action.length * 1.5) + 1024);
  if (old.tag.length > 0) columns.tag = untagged(columns.action.length);
  for (const name of Object.keys(columns) as (keyof EventColumns)[]) columns[name].set(old[name]);
  return columns;
}
