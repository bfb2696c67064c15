import { FormatError } from '../base/errors.ts';
import { NO_ID } from '../model/allocations/actions.ts';
import { type Frame, lineName } from '../model/allocations/names.ts';
import type { Recording } from '../model/recording.ts';
import type { Format } from './format.ts';
import { HeapProfileWriter, ONE_MOMENT } from './heap-profile/writer.ts';
import type { Input } from './input.ts';
import { Unpickler } from './pickle/unpickler.ts';
import type { PickleValue } from './pickle/values.ts';

/** Python's `tracemalloc.take_snapshot().dump(FILE)`: a pickle of what its allocator had in use, by line. It is read, never run. */
export const tracemalloc: Format = {
  id: 'tracemalloc',
  title: "a snapshot of Python's tracemalloc",
  extensions: [],
  binary: true,
  sniff: isSnapshot,
  read: readSnapshot,
};

const CLASSES: ReadonlySet<string> = new Set(['tracemalloc.Snapshot', 'tracemalloc._Traces']);
/** About three million allocations; each takes some hundred bytes while the file is read. */
const MOST_CELLS = 1 << 24;

/** A pickle whose first object is of the module tracemalloc, as a text or as the name of a class. */
function isSnapshot(head: Uint8Array): boolean {
  if (head[0] !== 0x80) return false;
  // A character for each byte: to browsers latin1 is windows-1252, which has others for 0x80 to 0x9f.
  const text = String.fromCharCode(...head.subarray(2, 40));
  return /^(?:\x95[\s\S]{8})?(?:\x8c\x0btracemalloc|ctracemalloc\nSnapshot\n)/.test(text);
}

async function readSnapshot(input: Input): Promise<Recording> {
  const { name } = input;
  const unpickler = new Unpickler(name, [], [], input.size ?? 0, {
    inert: CLASSES,
    mostCells: MOST_CELLS,
  });
  for await (const piece of input.stream()) {
    unpickler.push(piece);
    if (unpickler.done) break;
  }
  const root = unpickler.end();
  const traces = attribute(attribute(root, 'traces'), '_traces');
  const depth = attribute(root, 'traceback_limit');
  if (!Array.isArray(traces)) {
    throw new FormatError(`${name} is no snapshot of tracemalloc`, {
      hint: 'write one with tracemalloc.take_snapshot().dump(FILE)',
    });
  }
  const writer = new HeapProfileWriter(name, 'tracemalloc');
  const rows = grouped(traces, name);
  const stacks = new Map<PickleValue, number>();
  for (const [traceback, kinds] of rows) {
    let stack = stacks.get(traceback);
    if (stack === undefined) {
      stack = writer.stack(frames(traceback, name));
      stacks.set(traceback, stack);
    }
    for (const [domain, { bytes, objects }] of kinds) {
      writer.add(stack, { kind: domain === 0 ? '' : `domain ${domain}`, bytes, objects });
    }
  }
  return writer.build(warnings(depth));
}

const attribute = (value: PickleValue | undefined, name: string): PickleValue =>
  value instanceof Map ? (value.get(name) ?? null) : null;

type Sums = Map<number, { bytes: number; objects: number }>;

/** What was allocated from each traceback, by tracemalloc's domain (0: Python's own allocator). Equal tracebacks are one object of the pickle. */
function grouped(traces: readonly PickleValue[], name: string): Map<PickleValue, Sums> {
  const rows = new Map<PickleValue, Sums>();
  for (const [i, trace] of traces.entries()) {
    if (!Array.isArray(trace)) throw refusal(name, i);
    const [domain, bytes, traceback] = trace;
    const fine = isCount(domain) && isCount(bytes) && Array.isArray(traceback);
    if (!fine) throw refusal(name, i);
    const kinds: Sums = rows.get(traceback) ?? new Map();
    rows.set(traceback, kinds);
    const sums = kinds.get(domain) ?? { bytes: 0, objects: 0 };
    kinds.set(domain, { bytes: sums.bytes + bytes, objects: sums.objects + 1 });
  }
  return rows;
}

const isCount = (value: PickleValue | undefined): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;

const refusal = (name: string, trace: number) =>
  new FormatError(`${name}: trace ${trace + 1} is no size with a traceback`, {
    hint: 'is it a snapshot of tracemalloc of Python 3.6 or newer?',
  });

/** The innermost first, as tracemalloc keeps them. It knows lines, not functions. */
function frames(traceback: PickleValue, name: string): Frame[] {
  return (traceback as readonly PickleValue[]).map((frame) => {
    const [file, line] = Array.isArray(frame) ? frame : [];
    if (typeof file !== 'string' || !isCount(line)) {
      throw new FormatError(`${name} has a traceback that is no list of lines`);
    }
    const known = line < NO_ID ? line : 0;
    return { function: lineName(file, known), file, line: known };
  });
}

function warnings(depth: PickleValue): string[] {
  const found = [
    ONE_MOMENT,
    "tracemalloc knows lines, not functions, and only what Python's allocators were asked for since it was started",
  ];
  if (depth === 1) {
    found.push(
      'only the innermost line of each was kept, not who called it: tracemalloc.start(25) keeps more',
    );
  }
  return found;
}
