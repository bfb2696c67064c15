import { isObject } from '../../base/checks.ts';

/** One allocation (positive bytes) or free of a profiler's trace. */
export interface MemoryEvent {
  /** Microseconds, on the trace's own clock. */
  readonly ts: number;
  readonly address: bigint;
  /** As the allocator rounds them: the profiler does not tell what was asked for. */
  readonly bytes: number;
  /** 0 processor, 1 CUDA, others as torch numbers them. */
  readonly deviceType: number;
  readonly deviceId: number;
  /** The allocator's own sums after the event; null where it keeps none. */
  readonly allocated: number | null;
  readonly reserved: number | null;
}

/** A stretch of time with a name: a step of the profiler, a `record_function` of the user. */
export interface Span {
  readonly name: string;
  readonly ts: number;
  readonly duration: number;
}

/** What an element of `traceEvents` is, where it matters here. */
export function readEvent(text: string): MemoryEvent | Span | null {
  const event: unknown = JSON.parse(text);
  if (!isObject(event) || typeof event.name !== 'string') return null;
  const ts = Number(event.ts);
  if (!Number.isFinite(ts)) return null;
  if (event.name === '[memory]') return isObject(event.args) ? memory(ts, event.args, text) : null;
  const isSpan = event.ph === 'X' && event.cat === 'user_annotation';
  return isSpan ? { name: event.name, ts, duration: finite(event.dur) ?? 0 } : null;
}

function memory(ts: number, args: Record<string, unknown>, text: string): MemoryEvent | null {
  const bytes = finite(args.Bytes);
  const deviceType = finite(args['Device Type']);
  // As a number, an address beyond 2^53 would lose its last digits.
  const address = /"Addr"\s*:\s*"?(\d{1,20})/.exec(text)?.[1];
  if (bytes === null || deviceType === null || address === undefined) return null;
  return {
    ts,
    address: BigInt.asUintN(64, BigInt(address)),
    bytes,
    deviceType,
    deviceId: finite(args['Device Id']) ?? 0,
    allocated: finite(args['Total Allocated']),
    reserved: finite(args['Total Reserved']),
  };
}

const finite = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;
