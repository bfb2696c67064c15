import { ACTION, BLOCK_STATE, NO_ID, SEGMENT_KIND } from '../../model/allocations/actions.ts';
import type { RecordingBuilder } from '../../model/builder.ts';

/** One change of a device's memory. */
export interface MemoryChange {
  /** ns since the recording's start. */
  readonly time: number;
  readonly address: bigint;
  /** Positive: allocated; negative: freed. */
  readonly bytes: number;
  /** Row of `tags`, or NO_ID. */
  readonly tag: number;
  /** The allocator's sums after it; null where unknown. */
  readonly allocated: number | null;
  readonly reserved: number | null;
}

/**
 * Writes one device's changes as allocation events, and the final state that replay begins with: a
 * profiler gives sums after each event instead, from which it follows. Where blocks lie within
 * segments is not known; one segment stands for all that was reserved.
 */
export function writeDevice(
  builder: RecordingBuilder,
  device: number,
  entries: readonly MemoryChange[],
): void {
  const events = builder.table('allocations');
  const live = new Map<bigint, number>();
  let reserved: number | null = null;
  let segments = 0n;
  for (const { time, address, bytes, tag, reserved: now } of entries) {
    if (reserved !== null && now !== null && now !== reserved) {
      const action = now > reserved ? ACTION.segment_alloc : ACTION.segment_free;
      const size = Math.abs(now - reserved);
      events.push([time, device, NO_ID, action, SEGMENTS_AT + segments++, size, NO_ID, NO_ID]);
    }
    reserved = now ?? reserved;
    const action = bytes > 0 ? ACTION.alloc : ACTION.free_completed;
    events.push([time, device, NO_ID, action, address, Math.abs(bytes), NO_ID, tag]);
    if (bytes > 0) live.set(address, bytes);
    else live.delete(address);
  }
  const segment = builder.table('segments').rows;
  const known = [...live.values()].reduce((sum, bytes) => sum + bytes, 0);
  const unseen = Math.max(0, (entries.at(-1)?.allocated ?? 0) - known);
  if (known + unseen === 0 && !reserved) return;
  // The host's own allocator reserves nothing, and a timeline does not say: null, not zero.
  builder
    .table('segments')
    .push([device, SEGMENTS_AT - 1n, reserved || null, NO_ID, SEGMENT_KIND.unknown, 0, NO_ID]);
  const block = (address: bigint, bytes: number) =>
    builder.table('blocks').push([segment, address, bytes, bytes, BLOCK_STATE.allocated, NO_ID]);
  for (const [address, bytes] of live) block(address, bytes);
  // There before the first event and after the last: only the sums tell of it.
  if (unseen > 0) block(SEGMENTS_AT - 1n, unseen);
}

/** Addresses that no allocation has, for what the file does not place. */
const SEGMENTS_AT = 2n ** 63n;
