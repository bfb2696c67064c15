import { FormatError } from '../../base/errors.ts';
import { count } from '../../base/text.ts';
import { HOST_DEVICE } from '../../model/allocations/actions.ts';
import { RecordingBuilder } from '../../model/builder.ts';
import type { Recording } from '../../model/recording.ts';
import type { Input } from '../input.ts';
import type { Unpickler } from '../pickle/unpickler.ts';
import { isRef, type Value } from '../pickle/values.ts';
import { eventBatch, eventColumns, eventLists } from './event-table.ts';
import type { EventColumns, Events } from './events.ts';
import { rewound } from './final-state.ts';
import type { Frames } from './frames.ts';
import { writeAnnotations, writeNames } from './names.ts';
import type { Pools } from './pools.ts';
import { segmentRows, writeSegments } from './segment-rows.ts';
import { allocatorInfo } from './settings.ts';
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
export function assemble(input: Input, parts: Parts, root: Value): Recording {
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
  const zero = firstTime(columns, rows, annotations);
  builder.run.startedAt = new Date(zero / THOUSAND).toISOString();
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
    const tail = events.tails.get(list);
    const final = segments.get(device)!;
    writeSegments(builder, device, tail ? rewound(final, tail) : final);
  }
  if (range) {
    const all = [...events.tails.values()].reduce((most, tail) => Math.max(most, tail.events), 0);
    builder.run.allocator!.range = { from: range.from, to: Math.min(range.to, all) };
    builder.warn(
      `only ${count(rows, 'event')} of ${all} were loaded, from number ${range.from} on`,
    );
  }
  return builder.build();
}

/** A snapshot, or the list of segments that older versions returned. */
function snapshotOf(root: Value): ReadonlyMap<string, Value> {
  const top = isRef(root) ? new Map([['segments', root as Value]]) : root;
  if (top instanceof Map && (top.has('segments') || top.has('device_traces'))) return top;
  throw new FormatError('is a pickle, but no memory snapshot: it has no segments', {
    hint: 'make one with torch.cuda.memory._dump_snapshot(FILE)',
  });
}

/** The earliest time, on a whole millisecond so that the recording's start can say it; 0 for none. */
function firstTime({ time }: EventColumns, rows: number, annotations: Annotations): number {
  let first = Number.POSITIVE_INFINITY;
  for (let row = 0; row < rows; row++) if (time[row]! < first) first = time[row]!;
  const marks = annotations.rows.columns.time.subarray(0, annotations.rows.count);
  for (const mark of marks) if (mark < first) first = mark;
  const usable = first > 0 && first < LATEST;
  return usable ? Math.floor(first / THOUSAND) * THOUSAND : 0;
}

/** The end of what a date can say, in microseconds. */
const LATEST = 8.64e18;
