import { isObject } from '../../base/checks.ts';
import { FormatError } from '../../base/errors.ts';
import { isoTime } from '../../base/time.ts';
import { CPU_DEVICE, NO_ID } from '../../model/allocations/actions.ts';
import { RecordingBuilder } from '../../model/builder.ts';
import type { Recording } from '../../model/recording.ts';
import { TIME_FROM } from '../../model/schema.ts';
import type { Format } from '../format.ts';
import { headText, type Input } from '../input.ts';
import { writeDevice } from './device-events.ts';
import { type Elements, findElements } from './elements.ts';

/** The trace that torch.profiler writes (Kineto): of it, the `[memory]` events and the steps. */
export const profilerTrace: Format = {
  id: 'torch-profiler',
  title: "torch.profiler's trace with profile_memory=True",
  extensions: ['.pt.trace.json'],
  sniff: (head) => /^\s*\{[\s\S]*"(traceEvents|deviceProperties)"\s*:/.test(headText(head)),
  read: readTrace,
};

const US = 1000;
const PROCESSOR = 0;

async function readTrace(input: Input): Promise<Recording> {
  const memory: AllocationEvent[] = [];
  const spans: Span[] = [];
  const bad = { count: 0 };
  const found = await findElements(
    input.stream(),
    'traceEvents',
    ['[memory]"', 'user_annotation"'],
    (text) => sortIn(text, memory, spans, bad),
  ).catch((error) => {
    throw error instanceof FormatError
      ? new FormatError(`${input.name} ${error.message}`, { hint: error.hint })
      : error;
  });
  if (memory.length === 0) {
    throw new FormatError(`${input.name} is a trace without [memory] events`, {
      hint: 'record it with torch.profiler.profile(profile_memory=True)',
    });
  }
  // A trace lists its events by thread; equal times stay in the file's order, which is theirs.
  memory.sort((a, b) => a.ts - b.ts);
  const zero = spans.reduce((first, { ts }) => Math.min(first, ts), memory[0]!.ts);
  const head = headOf(found);
  const builder = new RecordingBuilder({
    id: `torch-profiler:${input.name}`,
    name: input.name,
    startedAt: startOf(zero, head),
    gpus: gpusOf(head),
    labels: labelsOf(head),
    allocator: {
      source: 'torch-profiler',
      settings: {},
      overflowed: null,
      maxEntries: null,
      range: null,
    },
  });
  for (const [device, events] of byDevice(memory)) {
    writeDevice(
      builder,
      device,
      events.map((event) => ({ ...event, time: (event.ts - zero) * US, tag: NO_ID })),
    );
  }
  addSpans(builder, spans, zero);
  if (found.cut) builder.warn('the trace was cut: its end is missing');
  if (bad.count > 0) builder.warn(`${bad.count} memory events could not be read`);
  builder.warn(
    'sizes are as the allocator rounds them; a profiler does not tell what was requested',
  );
  return builder.build();
}

function sortIn(
  text: string,
  memory: AllocationEvent[],
  spans: Span[],
  bad: { count: number },
): void {
  let event: ReturnType<typeof readEvent>;
  try {
    event = readEvent(text);
  } catch {
    event = null;
  }
  if (event === null) {
    if (text.includes('"[memory]"')) bad.count++;
  } else if ('address' in event) memory.push(event);
  else spans.push(event);
}

function byDevice(events: readonly AllocationEvent[]): Map<number, AllocationEvent[]> {
  const found = new Map<number, AllocationEvent[]>();
  for (const event of events) {
    const device = event.deviceType === PROCESSOR ? CPU_DEVICE : Math.max(0, event.deviceId);
    const list = found.get(device);
    if (list) list.push(event);
    else found.set(device, [event]);
  }
  return new Map([...found].sort(([a], [b]) => a - b));
}

interface SpanMark {
  readonly ts: number;
  readonly kind: 'iteration' | 'phase';
  readonly iteration: number | null;
  /** Of a phase: 1 where it begins, 0 where it ends. */
  readonly value: number | null;
}

/** ProfilerStep#4 is iteration 4; other annotations are phases with a begin and an end. */
function spanMarks({ name, ts, duration }: Span): SpanMark[] {
  const step = /^ProfilerStep#(\d+)$/.exec(name)?.[1];
  if (step) return [{ ts, kind: 'iteration', iteration: Number(step), value: null }];
  const phase = { kind: 'phase', iteration: null } as const;
  return [
    { ...phase, ts, value: 1 },
    { ...phase, ts: ts + duration, value: 0 },
  ];
}

function addSpans(builder: RecordingBuilder, spans: readonly Span[], zero: number): void {
  const marks = spans.flatMap((span) =>
    spanMarks(span).map((mark) => ({ ...mark, name: span.name })),
  );
  const table = builder.table('marks');
  for (const mark of marks.sort((a, b) => a.ts - b.ts)) {
    table.push([
      (mark.ts - zero) * US,
      TIME_FROM.line,
      null,
      null,
      builder.intern(mark.kind),
      builder.intern(mark.name),
      null,
      mark.iteration,
      mark.value,
    ]);
  }
}

function headOf({ rest }: Elements): Record<string, unknown> {
  try {
    const head: unknown = JSON.parse(rest);
    return isObject(head) ? head : {};
  } catch {
    return {};
  }
}

/** Newer traces count from a base that they name, older ones from 1970. */
function startOf(zero: number, head: Record<string, unknown>): string {
  const base = typeof head.baseTimeNanoseconds === 'number' ? head.baseTimeNanoseconds : 0;
  return isoTime(base / 1e6 + zero / US);
}

function gpusOf(head: Record<string, unknown>): Recording['run']['gpus'] {
  const list = Array.isArray(head.deviceProperties) ? head.deviceProperties : [];
  return list.filter(isObject).map((gpu, index) => ({
    index: typeof gpu.id === 'number' ? gpu.id : index,
    uuid: '',
    name: String(gpu.name ?? ''),
    memoryBytes: typeof gpu.totalGlobalMem === 'number' ? gpu.totalGlobalMem : 0,
  }));
}

function labelsOf(head: Record<string, unknown>): Record<string, string> {
  const { distributedInfo: info } = head;
  if (!isObject(info)) return {};
  const labels: Record<string, string> = {};
  if (typeof info.rank === 'number') labels.rank = String(info.rank);
  if (typeof info.world_size === 'number') labels.worldSize = String(info.world_size);
  return labels;
}

/** One allocation (positive bytes) or free of a profiler's trace. */
interface AllocationEvent {
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
interface Span {
  readonly name: string;
  readonly ts: number;
  readonly duration: number;
}

/** What an element of `traceEvents` is, where it matters here. */
function readEvent(text: string): AllocationEvent | Span | null {
  const event: unknown = JSON.parse(text);
  if (!isObject(event) || typeof event.name !== 'string') return null;
  const ts = Number(event.ts);
  if (!Number.isFinite(ts)) return null;
  if (event.name === '[memory]') return isObject(event.args) ? memory(ts, event.args, text) : null;
  const isSpan = event.ph === 'X' && event.cat === 'user_annotation';
  return isSpan ? { name: event.name, ts, duration: finite(event.dur) ?? 0 } : null;
}

function memory(ts: number, args: Record<string, unknown>, text: string): AllocationEvent | null {
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
