import type { RecordingBuilder } from '../../model/builder.ts';
import { TIME_FROM } from '../../model/schema.ts';
import type { Unpickler } from '../pickle/unpickler.ts';
import type { Value } from '../pickle/values.ts';
import { joined } from './final-state.ts';
import type { Frames } from './frames.ts';
import { listOf } from './lists-of.ts';
import type { Pools } from './pools.ts';
import type { Annotations } from './shapes.ts';
import type { Tags } from './tags.ts';

/** The tables that ids of events point into. */
export function writeNames(
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
export function writeAnnotations(
  builder: RecordingBuilder,
  unpickler: Unpickler,
  annotations: Annotations,
  value: Value | undefined,
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
