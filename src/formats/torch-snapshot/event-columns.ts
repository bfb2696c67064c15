import { NO_ID } from '../../model/allocations/actions.ts';

export interface EventColumns {
  /** Microseconds of Unix time as the file has them; NaN where it has none. */
  readonly time: Float64Array;
  readonly pool: Uint32Array;
  readonly action: Uint8Array;
  /** Halves of 64 bits, the lower first. */
  readonly address: Uint32Array;
  /** Whole numbers of 32 bits for as long as all are: half the memory. */
  size: Uint32Array | Float64Array;
  readonly stack: Uint32Array;
  /** Empty where no event has a tag. */
  tag: Uint32Array;
}

/** `shared`: in memory that other threads may look at. */
export function newColumns(rows: number, shared = false): EventColumns {
  const memory = (bytes: number) =>
    shared ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes);
  return {
    time: new Float64Array(memory(8 * rows)),
    pool: new Uint32Array(memory(4 * rows)),
    action: new Uint8Array(memory(rows)),
    address: new Uint32Array(memory(8 * rows)),
    // Of shared memory there is room to widen them where they are.
    size: new Uint32Array(memory((shared ? 8 : 4) * rows), 0, rows),
    stack: new Uint32Array(memory(4 * rows)),
    tag: new Uint32Array(0),
  };
}

export const untagged = (rows: number) => new Uint32Array(rows).fill(NO_ID);

export function grown(old: EventColumns, shared = false): EventColumns {
  const columns = newColumns(Math.ceil(old.action.length * 1.5) + 1024, shared);
  takeKinds(columns, old);
  for (const name of Object.keys(columns) as (keyof EventColumns)[]) columns[name].set(old[name]);
  return columns;
}

/** Makes columns of the same kinds as others have. */
export function takeKinds(columns: EventColumns, other: EventColumns): void {
  const rows = columns.action.length;
  if (other.tag.length > 0) columns.tag = untagged(rows);
  if (other.size instanceof Float64Array) columns.size = new Float64Array(rows);
}

export const isNarrow = (size: number) => size >>> 0 === size;

/** The sizes as the table has them; in shared memory they stay as they are, for who watched to widen them when nobody looks at them any more. */
export function tableSizes(columns: EventColumns, rows: number): Float64Array | Uint32Array {
  const { size } = columns;
  const isShared = !(size.buffer instanceof ArrayBuffer);
  return isShared ? size.subarray(0, rows) : wideSizes(columns, rows);
}

/** The sizes of the first rows, with room for any and for as many rows as asked for. */
export function wideSizes({ size }: EventColumns, rows: number, room = rows): Float64Array {
  if (size instanceof Float64Array) return size.subarray(0, room);
  const wide = new Float64Array(room);
  wide.set(size.subarray(0, rows));
  return wide;
}
