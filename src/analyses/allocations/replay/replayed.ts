import type { AllocatorConf } from './conf.ts';
import type { Limit } from './heap.ts';
import type { ReplayCurve } from './replay-curve.ts';

/** What a program would have reserved. */
export interface Replayed {
  readonly reservedPeakBytes: number;
  /** The most in use at one moment, rounded by the allocator. */
  readonly activePeakBytes: number;
  readonly peakEvent: number;
  /** No block was ever larger, unless segments grow. */
  readonly largestSegmentBytes: number;
  readonly deviceAllocs: number;
  readonly deviceFrees: number;
  readonly retries: number;
  /** The event whose request found no memory; -1: there was too much before the trace; null: all found it. */
  readonly diesAt: number | null;
  /** Sizes of what was fetched from the driver, in order, where that was asked for. */
  readonly fetched: readonly number[] | null;
  /** What was reserved over the events, where that was asked for. */
  readonly curve: ReplayCurve | null;
  /** The least that a limit refused; Infinity: nothing. */
  readonly refusedBytes: number;
}

export interface ReplayOptions {
  readonly conf: AllocatorConf;
  readonly limit: Limit | null;
  /** Whether blocks from before the trace keep their place. */
  readonly start: 'placed' | 'packed';
  readonly keepFetched?: boolean;
  readonly keepCurve?: boolean;
}
