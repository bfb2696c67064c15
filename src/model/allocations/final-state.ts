import type { Recording } from '../recording.ts';
import type { AddressIds } from './address-book.ts';

/** The segments of one device after its last event, as columns. */
export interface FinalSegments {
  readonly count: number;
  /** Ids of the trace's address book. */
  readonly address: Uint32Array;
  readonly size: Float64Array;
  /** Row of `pools`, or NO_ID. */
  readonly pool: Uint32Array;
  /** Codes of SEGMENT_KIND. */
  readonly kind: Uint8Array;
  readonly expandable: Uint8Array;
  readonly stack: Uint32Array;
}

/** The blocks of those segments. */
export interface FinalBlocks {
  readonly count: number;
  /** Position in the device's segments. */
  readonly segment: Uint32Array;
  readonly address: Uint32Array;
  /** Bytes set aside, rounded up by the allocator. */
  readonly size: Float64Array;
  /** Bytes asked for. */
  readonly requested: Float64Array;
  /** Codes of BLOCK_STATE. */
  readonly state: Uint8Array;
  readonly stack: Uint32Array;
  /** Codes of OWNER. */
  readonly owner: Uint8Array;
}

export function finalState(
  recording: Recording,
  device: number,
  book: AddressIds,
): { segments: FinalSegments; blocks: FinalBlocks } {
  const segments = recording.table('segments');
  const blocks = recording.table('blocks');
  const owners = segments.u32('device');
  const position = new Map<number, number>();
  for (const [row, owner] of owners.entries()) {
    if (owner === device) position.set(row, position.size);
  }
  const segmentRows = Uint32Array.from(position.keys());
  const blockRows = Uint32Array.from(blocks.u32('segment').keys()).filter((row) =>
    position.has(blocks.u32('segment')[row]!),
  );
  const address = (column: BigUint64Array, rows: Uint32Array) =>
    rows.map((row) => {
      const value = column[row]!;
      return book.intern(Number(value & 0xffffffffn), Number(value >> 32n));
    });
  return {
    segments: {
      count: segmentRows.length,
      address: address(segments.u64('address'), segmentRows),
      size: Float64Array.from(segmentRows, (row) => segments.f64('size')[row]!),
      pool: segmentRows.map((row) => segments.u32('pool')[row]!),
      kind: Uint8Array.from(segmentRows, (row) => segments.u8('kind')[row]!),
      expandable: Uint8Array.from(segmentRows, (row) => segments.u8('expandable')[row]!),
      stack: segmentRows.map((row) => segments.u32('stack')[row]!),
    },
    blocks: {
      count: blockRows.length,
      segment: blockRows.map((row) => position.get(blocks.u32('segment')[row]!)!),
      address: address(blocks.u64('address'), blockRows),
      size: Float64Array.from(blockRows, (row) => blocks.f64('size')[row]!),
      requested: Float64Array.from(blockRows, (row) => blocks.f64('requested')[row]!),
      state: Uint8Array.from(blockRows, (row) => blocks.u8('state')[row]!),
      stack: blockRows.map((row) => blocks.u32('stack')[row]!),
      owner: Uint8Array.from(blockRows, (row) => blocks.u8('owner')[row]!),
    },
  };
}
