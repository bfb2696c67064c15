import { PickleFile } from './pickle-file.ts';

/**
 * Writes a memory snapshot of any size as Python would pickle it, from nothing: a training whose
 * steps allocate activations, and free them in a backward pass without frames. A Python that made it would need gigabytes.
 */
export interface Made {
  readonly events: number;
  readonly bytes: number;
  /** Known without any replay. */
  readonly peakRequestedBytes: number;
}

const ACTIVATIONS = 400;
const FRAMES = 120;
const DEPTH = 9;
const BASE = 0x7f00_0000_0000;
const ROOM = 1 << 22;
const BATCH = 1000;

/** `sizes`: bytes of each activation at each step. */
export function makeTrace(path: string, events: number, sizes = sizeOf): Made {
  const out = new PickleFile(path);
  out.dict();
  out.text('segments');
  writeSegments(out);
  out.text('device_traces');
  out.list();
  out.list();
  const event = eventWriter(out, sizes);
  let [written, live, peak] = [0, 0, 0];
  const count = () => {
    written++;
    // As Python does: a thousand at a time.
    if (written % BATCH === 0) out.nextBatch();
  };
  const alloc = (at: number, step: number, frames: boolean) => {
    event('alloc', at, step, written, frames ? 'frames' : 'none');
    count();
    live += sizes(at, step);
    peak = Math.max(peak, live);
  };
  const free = (at: number, step: number) => {
    const stack = event('free_requested', at, step, written, 'none');
    count();
    event('free_completed', at, step, written, stack);
    count();
    live -= sizes(at, step);
  };
  for (let step = 0; written < events; step++) {
    for (let i = 0; i < ACTIVATIONS; i++) alloc(i, step, true);
    for (let i = ACTIVATIONS - 1; i >= 0; i--) {
      const gradient = ACTIVATIONS + i;
      alloc(gradient, step, false);
      free(i, step);
      if (i < ACTIVATIONS - 1) free(gradient + 1, step);
    }
    free(ACTIVATIONS, step);
  }
  out.endList();
  out.endList();
  out.endDict();
  return { events: written, bytes: out.close(), peakRequestedBytes: peak };
}

export const sizeOf = (activation: number, step: number) =>
  512 * (1 + ((activation * 37 + (step % 5)) % 4000));

/** One segment, all of it free at the end. */
function writeSegments(out: PickleFile): void {
  const size = 2 * ACTIVATIONS * ROOM;
  const entry = (key: string, value: number | string) => {
    out.text(key);
    if (typeof value === 'number') out.int(value);
    else out.text(value);
  };
  out.list();
  out.dict();
  entry('device', 0);
  entry('address', BASE);
  entry('total_size', size);
  entry('stream', 0);
  entry('segment_type', 'large');
  out.text('blocks');
  out.list();
  out.dict();
  entry('address', BASE);
  entry('size', size);
  entry('requested_size', size);
  entry('state', 'inactive');
  out.endDict();
  out.endList();
  out.endDict();
  out.endList();
}

/** Writes one event; returns where its list of frames is remembered. */
function eventWriter(out: PickleFile, sizes: typeof sizeOf) {
  // What all events share is written once and thrown away, so that it can be referred to.
  const shared = (text: string) => out.throwAway(() => out.text(text));
  const [action, addr, size, stream, time] = ['action', 'addr', 'size', 'stream', 'time_us'].map(
    shared,
  );
  const [context, metadata, frames] = ['compile_context', 'user_metadata', 'frames'].map(shared);
  const empty = shared('');
  const actions = new Map(
    ['alloc', 'free_requested', 'free_completed'].map((name) => [name, shared(name)]),
  );
  const places = Array.from({ length: FRAMES }, (_, i) => out.throwAway(() => frame(out, i)));
  return (
    name: string,
    at: number,
    step: number,
    index: number,
    stack: 'frames' | 'none' | number,
  ): number => {
    out.dict();
    out.get(action!);
    out.get(actions.get(name)!);
    out.get(addr!);
    out.int(BASE + at * ROOM);
    out.get(size!);
    out.int(sizes(at, step));
    out.get(stream!);
    out.int(0);
    out.get(time!);
    out.int(1_790_000_000_000_000 + index * 13);
    out.get(context!);
    out.text('N/A');
    out.get(metadata!);
    out.get(empty);
    out.get(frames!);
    let list = 0;
    if (typeof stack === 'number') {
      list = stack;
      out.get(list);
    } else if (stack === 'none') list = out.emptyList();
    else {
      list = out.list();
      for (let i = 0; i < DEPTH; i++) out.get(places[(at * 7 + i * 13) % FRAMES]!);
      out.endList();
    }
    out.endDict();
    return list;
  };
}

function frame(out: PickleFile, i: number): number {
  const slot = out.dict();
  out.text('name');
  out.text(`layer_${i}`);
  out.text('filename');
  out.text(`/site-packages/torch/nn/modules/part_${i % 17}.py`);
  out.text('line');
  out.int(i * 7 + 1);
  out.endDict();
  return slot;
}
