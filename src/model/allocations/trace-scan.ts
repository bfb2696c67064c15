import { AddressScan } from './address-scan.ts';
import { LifetimeScan } from './lifetime-scan.ts';
import { RunningBytes } from './running-bytes.ts';

/** Columns of events that are still being read, in memory that threads share. */
export interface EventsSoFar {
  readonly action: Uint8Array;
  /** Halves of 64 bits, the lower first. */
  readonly address: Uint32Array;
  /** null: they are looked at when all are read. */
  readonly size: Uint32Array | null;
}

/** All that can be found out about a trace's events before its last one is read. */
export class TraceScan {
  readonly addresses = new AddressScan();
  readonly bytes = new RunningBytes();
  readonly lifetimes = new LifetimeScan(0);

  /** Goes on to event `to`. */
  take({ action, address, size }: EventsSoFar, to: number): void {
    // Half of the events are frees, mostly more.
    this.lifetimes.makeRoom(action.length >> 1);
    this.addresses.take(action, address, to);
    if (size) this.bytes.take(action, size, to);
    const { addresses, book } = this.addresses;
    this.lifetimes.take({ actions: action, addresses, addressCount: book.count }, to);
  }
}
