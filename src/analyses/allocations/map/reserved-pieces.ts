import { ACTION, isSegmentAction } from '../../../model/allocations/actions.ts';
import { addressNumber } from '../../../model/allocations/address-book.ts';
import { checkpointBefore } from '../../../model/allocations/checkpoints.ts';
import type { DeviceTrace } from '../../../model/allocations/trace.ts';

/** What the allocator held, as rectangles of addresses and events. */
export interface Reserved {
  readonly address: readonly number[];
  readonly size: readonly number[];
  /** The event that brought it; -1: there before. */
  readonly start: readonly number[];
  /** The event that gave it back; `events`: still there. */
  readonly end: readonly number[];
}

interface Piece {
  readonly from: number;
  readonly to: number;
  readonly start: number;
}

export function reservedPieces(trace: DeviceTrace): Reserved {
  const found = {
    address: [] as number[],
    size: [] as number[],
    start: [] as number[],
    end: [] as number[],
  };
  const close = ({ from, to, start }: Piece, end: number) => {
    if (to <= from) return;
    found.address.push(from);
    found.size.push(to - from);
    found.start.push(start);
    found.end.push(end);
  };
  let open: Piece[] = checkpointBefore(trace, 0).regions.map(({ address, size }) => ({
    from: address,
    to: address + size,
    start: -1,
  }));
  for (let event = 0; event < trace.events; event++) {
    const action = trace.actions[event]!;
    if (!isSegmentAction(action)) continue;
    const from = addressNumber(trace.addressBook, trace.addresses[event]!);
    const to = from + trace.sizes[event]!;
    if (action === ACTION.segment_alloc || action === ACTION.segment_map) {
      open.push({ from, to, start: event });
      continue;
    }
    open = open.flatMap((piece) => {
      if (piece.to <= from || piece.from >= to) return [piece];
      close({ ...piece, from: Math.max(from, piece.from), to: Math.min(to, piece.to) }, event);
      // Pages out of the middle leave two pieces.
      return [
        { ...piece, to: from },
        { ...piece, from: to },
      ].filter((rest) => rest.to > rest.from);
    });
  }
  for (const piece of open) close(piece, trace.events);
  return found;
}
