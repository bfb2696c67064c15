import { countBefore } from '../../../base/search.ts';
import { addressNumber } from '../../../model/allocations/address-book.ts';
import type { DeviceTrace } from '../../../model/allocations/trace.ts';
import type { Reserved } from './reserved-pieces.ts';

/** Addresses with the emptiness between them taken out: a device hands out memory far apart. */
export interface AddressAxis {
  /** By the trace's address ids: bytes from the bottom of the map. */
  readonly offset: Float64Array;
  /** Height of the whole map. */
  readonly bytes: number;
  /** Stretches that were ever in use, by address. */
  readonly stretches: readonly AddressStretch[];
}

export interface AddressStretch {
  readonly address: number;
  readonly bytes: number;
  readonly offset: number;
}

interface Range {
  readonly from: number;
  to: number;
}

/** `sizes`: the largest block that ever lay at each address id. */
export function addressAxis(
  { addressBook }: DeviceTrace,
  sizes: Float64Array,
  reserved: Reserved,
): AddressAxis {
  const ranges: Range[] = Array.from(reserved.address, (from, i) => ({
    from,
    to: from + reserved.size[i]!,
  }));
  for (let id = 0; id < addressBook.count; id++) {
    if (sizes[id]! === 0) continue;
    const from = addressNumber(addressBook, id);
    ranges.push({ from, to: from + sizes[id]! });
  }
  const stretches = stacked(joined(ranges));
  const offset = new Float64Array(addressBook.count);
  for (let id = 0; id < addressBook.count; id++) {
    offset[id] = offsetOf(stretches, addressNumber(addressBook, id));
  }
  const last = stretches.at(-1);
  return { offset, bytes: last ? last.offset + last.bytes : 0, stretches };
}

/** Where an address lies on the map; one that lies in no stretch, at the end of the one before. */
export function offsetOf(stretches: readonly AddressStretch[], address: number): number {
  const upTo = countBefore(stretches.length, (i) => stretches[i]!.address <= address);
  const found = stretches[upTo - 1];
  return found ? found.offset + Math.min(address - found.address, found.bytes) : 0;
}

function joined(ranges: Range[]): Range[] {
  ranges.sort((a, b) => a.from - b.from);
  const found: Range[] = [];
  for (const { from, to } of ranges) {
    const last = found.at(-1);
    if (last && from <= last.to) last.to = Math.max(last.to, to);
    else found.push({ from, to });
  }
  return found;
}

function stacked(ranges: readonly Range[]): AddressStretch[] {
  let offset = 0;
  return ranges.map(({ from, to }) => {
    const stretch = { address: from, bytes: to - from, offset };
    offset += stretch.bytes;
    return stretch;
  });
}
