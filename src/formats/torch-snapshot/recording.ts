import { FormatError } from '../../base/errors.ts';
import { count } from '../../base/text.ts';
import { isoTime } from '../../base/time.ts';
import { HOST_DEVICE } from '../../model/allocations/actions.ts';
import { RecordingBuilder } from '../../model/builder.ts';
import type { Recording } from '../../model/recording.ts';
import type { AllocatorInfo } from '../../model/run.ts';
import { TIME_FROM } from '../../model/schema.ts';
import type { Input } from '../input.ts';
import type { Unpickler } from '../pickle/unpickler.ts';
import { isRef, type PickleValue } from '../pickle/values.ts';
import type { EventColumns } from './event-columns.ts';
import { eventBatch, eventColumns, eventLists } from './event-table.ts';
import type { Events } from './events.ts';
import { joined, rewound, segmentRows, writeSegments } from './final-state.ts';
import type { Frames } from './frames.ts';
import { listOf } from './lists.ts';
import type { Pools } from './pools.ts';
import type { Annotations, Blocks, History, Segments } from './shapes.ts';
import type { Tags } from './tags.ts';

export interface Parts {
  readonly unpickler: Unpickler;
  readonly frames: Frames;
  readonly events: Events;
  readonly blocks: Blocks;
  readonly segments: Segments;
  readonly annotations: Annotations;
  readonly history: History;
  readonly pools: Pools;
  readonly tags: Tags;
}

/** Microseconds of a millisecond, nanoseconds of a microsecond. */
const THOUSAND = 1000;

/** The recording of what the unpickler put into its columns. */
export function assemble(input: Input, parts: Parts, root: PickleValue): Recording {
  const top = snapshotOf(root);
  const range = input.hints.events ?? null;
  const builder = new RecordingBuilder({
    id: `torch-snapshot:${input.name}`,
    name: input.name,
    allocator: { ...allocatorInfo(top.get('allocator_settings')), range },
  });
  const { unpickler, events, annotations } = parts;
  const lists = eventLists(events, top);
  const { columns, stretches, rows } = eventColumns(events, lists);
  const zero = firstTime(earliest(events, columns, rows), annotations);
  builder.run.startedAt = isoTime(zero / THOUSAND);
  for (let row = 0; row < rows; row++) columns.time[row] = (columns.time[row]! - zero) * THOUSAND;
  builder.put('allocations', eventBatch(columns, stretches, rows));
  writeNames(builder, unpickler, parts);
  writeAnnotations(builder, unpickler, annotations, top.get('external_annotations'), zero);
  const segments = new Map([
    ...segmentRows(parts, top.get('segments'), null),
    ...segmentRows(parts, top.get('host_segments'), HOST_DEVICE),
  ]);
  for (const device of [...segments.keys()].sort((a, b) => a - b)) {
    const list = lists.find((other) => other.device === device)?.list ?? -1;
    const later = events.laterEvents.get(list);
    const final = segments.get(device)!;
    writeSegments(builder, device, later ? rewound(final, later) : final);
  }
  if (range) {
    const all = [...events.laterEvents.values()].reduce(
      (most, later) => Math.max(most, later.events),
      0,
    );
    builder.run.allocator!.range = { from: range.from, to: Math.min(range.to, all) };
    builder.warn(
      `only ${count(rows, 'event')} of ${all} were loaded, from number ${range.from} on`,
    );
  }
  return builder.build();
}

/** A snapshot, or the list of segments that older versions returned. */
function snapshotOf(root: PickleValue): ReadonlyMap<string, PickleValue> {
  const top = isRef(root) ? new Map([['segments', root as PickleValue]]) : root;
  if (top instanceof Map && (top.has('segments') || top.has('device_traces'))) return top;
  throw new FormatError('is a pickle, but no memory snapshot: it has no segments', {
    hint: 'make one with torch.cuda.memory._dump_snapshot(FILE)',
  });
}

/** The earliest time, on a whole millisecond so that the recording's start can say it; 0 for none. */
function firstTime(event: number, annotations: Annotations): number {
  let first = event;
  const marks = annotations.rows.columns.time.subarray(0, annotations.rows.count);
  for (const mark of marks) if (mark < first) first = mark;
  const usable = first > 0 && first < LATEST;
  return usable ? Math.floor(first / THOUSAND) * THOUSAND : 0;
}

/** Of the events that are in a list: of all, unless some were left out. */
function earliest(events: Events, { time }: EventColumns, rows: number): number {
  if (rows === events.rows) return events.earliest;
  let first = Number.POSITIVE_INFINITY;
  for (let row = 0; row < rows; row++) if (time[row]! < first) first = time[row]!;
  return first;
}

/** The end of what a date can say, in microseconds. */
const LATEST = 8.64e18;

/** No version writes more; a file that does is not worth a run.json of megabytes. */
const MOST_SETTINGS = 1000;

/** The allocator's settings as one flat list, and what it says of its ring buffer of events. */
function allocatorInfo(value: PickleValue | undefined): Omit<AllocatorInfo, 'range'> {
  const settings: AllocatorInfo['settings'] = Object.create(null);
  const room = { left: MOST_SETTINGS };
  if (value instanceof Map) flatten('', value, settings, room, 3);
  const overflowed = settings.trace_alloc_overflowed;
  const maxEntries = settings.trace_alloc_max_entries;
  return {
    source: 'torch-snapshot',
    settings: { ...settings },
    overflowed: typeof overflowed === 'boolean' ? overflowed : null,
    maxEntries: typeof maxEntries === 'number' ? maxEntries : null,
  };
}

function flatten(
  prefix: string,
  dict: ReadonlyMap<string, PickleValue>,
  into: AllocatorInfo['settings'],
  room: { left: number },
  depth: number,
): void {
  for (const [key, value] of dict) {
    if (room.left-- <= 0) return;
    const name = `${prefix}${key}`;
    if (value instanceof Map) {
      if (depth > 0) flatten(`${name}.`, value, into, room, depth - 1);
    } else if (typeof value === 'bigint') into[name] = Number(value);
    else if (!Array.isArray(value) && !isRef(value)) into[name] = value as string | number | null;
  }
}

/** The tables that ids of events point into. */
function writeNames(
  builder: RecordingBuilder,
  unpickler: Unpickler,
  { frames, pools, tags }: { frames: Frames; pools: Pools; tags: Tags },
): void {
  const { stacks } = frames;
  const frameTable = builder.table('frames');
  const stackTable = builder.table('stacks');
  const rows = new Map<number, number>();
  for (let node = 0; node < stacks.count; node++) {
    const frame = stacks.items[node]!;
    let row = rows.get(frame);
    if (row === undefined) {
      row = rows.size;
      rows.set(frame, row);
      const { name, file, line } = frames.place(frame, unpickler.texts);
      frameTable.push([builder.intern(name), builder.intern(file), line]);
    }
    stackTable.push([stacks.parents[node]!, row]);
  }
  for (const tag of tags.texts) builder.table('tags').push([builder.intern(tag)]);
  for (const [row, pair] of pools.pair.entries()) {
    const [owner, number] = pair < 0 ? [null, null] : unpickler.objects.pairOf(pair);
    builder.table('pools').push([joined(pools.low[row]!, pools.high[row]!), owner, number]);
  }
}

/** Annotations as marks, in the order of time; `zero` is the recording's start in microseconds. */
function writeAnnotations(
  builder: RecordingBuilder,
  unpickler: Unpickler,
  annotations: Annotations,
  value: PickleValue | undefined,
  zero: number,
): void {
  const list = listOf(annotations, value, 'its annotations are no list of annotations');
  if (list === null) return;
  const { time, name, begin } = annotations.rows.columns;
  const rows = [...annotations.lists.rows(list)].filter(
    (row) => !Number.isNaN(time[row]!) && !Number.isNaN(name[row]!),
  );
  rows.sort((a, b) => time[a]! - time[b]!);
  const marks = builder.table('marks');
  const kind = builder.intern('phase');
  for (const row of rows) {
    const text = builder.intern(unpickler.texts.text(name[row]!));
    const ns = (time[row]! - zero) * 1000;
    marks.push([ns, TIME_FROM.agent, null, null, kind, text, null, null, begin[row]!]);
  }
}
