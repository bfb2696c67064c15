import type { MapHeader } from '../../../../analyses/allocations/map/index.ts';
import type { Columns, TypedArray } from '../../../../model/columns.ts';

/** The allocations of one trace, as the server's columns have them (analyses/allocations/map). */
export interface MapData {
  readonly header: MapHeader;
  readonly rows: number;
  readonly start: Int32Array;
  readonly end: Int32Array;
  readonly size: Numbers;
  readonly place: Uint32Array;
  readonly offset: Float64Array;
  readonly reason: Uint8Array;
  readonly stack: Uint32Array;
  readonly pool: Uint16Array;
  readonly tag: Uint32Array | null;
  readonly stackParent: Uint32Array;
  readonly stackFrame: Uint32Array;
  readonly reserved: {
    readonly start: Int32Array;
    readonly end: Int32Array;
    readonly offset: Float64Array;
    readonly size: Float64Array;
  };
  /** µs since the first event, by event; null where the source has no times, or as long as they are not asked for. */
  readonly micros: Numbers | null;
  /** The event's number in the trace, where events are left out; null: its position. */
  readonly number: Numbers | null;
}

export type Numbers = Float64Array | Uint32Array;

export function mapData(columns: Columns<MapHeader>, times: Columns | null): MapData {
  const { header, arrays } = columns;
  const column = <T extends TypedArray>(name: string) => arrays[name] as T;
  const start = column<Int32Array>('start');
  return {
    header,
    rows: start.length,
    start,
    end: column('end'),
    size: column('size'),
    place: column('place'),
    offset: column('offset'),
    reason: column('reason'),
    stack: column('stack'),
    pool: column('pool'),
    tag: arrays.tag ? column('tag') : null,
    stackParent: column('stackParent'),
    stackFrame: column('stackFrame'),
    reserved: {
      start: column('reservedStart'),
      end: column('reservedEnd'),
      offset: column('reservedOffset'),
      size: column('reservedSize'),
    },
    number: arrays.number ? column('number') : null,
    micros: times ? (times.arrays.micros as Numbers) : null,
  };
}
