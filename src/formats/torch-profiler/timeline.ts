import { FormatError } from '../../base/errors.ts';
import { isoTime } from '../../base/time.ts';
import { RecordingBuilder } from '../../model/builder.ts';
import type { Recording } from '../../model/recording.ts';
import type { Format } from '../format.ts';
import { headText, type Input } from '../input.ts';
import { type MemoryChange, writeDevice } from './device-events.ts';

/**
 * What `export_memory_timeline('x.raw.json.gz')` writes: `[[time in ns, action, ±bytes, category] …]`,
 * with the profiler's own category of each tensor but no address. It becomes the tag.
 */
export const memoryTimeline: Format = {
  id: 'torch-timeline',
  title: "torch.profiler's raw memory timeline",
  extensions: ['.raw.json'],
  sniff: (head) => RAW.test(headText(head)) || SUMS.test(headText(head)),
  read: readTimeline,
};

const RAW = /^\s*\[\s*\[\s*-?\d+\s*,\s*\d\s*,\s*-?\d+\s*,\s*\d\s*\]/;
/** As `x.json` it writes times, then sums by category: what lived when cannot be told from them. */
const SUMS = /^\s*\[\s*\[\s*\d{13,}\s*,\s*\d{13,}\s*,/;

/** In the order of the profiler's numbers. */
const CATEGORIES = [
  'parameter',
  'optimizer_state',
  'input',
  'temporary',
  'activation',
  'gradient',
  'autograd_detail',
  'unknown',
] as const;

type Row = readonly [number, number, number, number];

function readTimeline(input: Input): Recording {
  const rows = rowsOf(input);
  const zero = rows[0]![0];
  const builder = new RecordingBuilder({
    id: `torch-timeline:${input.name}`,
    name: input.name,
    startedAt: isoTime(Math.max(0, zero) / 1e6),
    allocator: {
      source: 'torch-timeline',
      settings: {},
      overflowed: null,
      maxEntries: null,
      range: null,
    },
  });
  for (const name of CATEGORIES) builder.table('tags').push([builder.intern(name)]);
  const { entries, unmatched } = pairUp(rows, zero);
  writeDevice(builder, 0, entries);
  if (unmatched > 0) builder.warn(`${unmatched} frees fit no tensor of that size and category`);
  builder.warn(
    'the file does not name its device, nor the places in the code: device 0 is assumed',
  );
  return builder.build();
}

function rowsOf(input: Input): Row[] {
  let parsed: unknown;
  const text = input.text();
  if (SUMS.test(text)) {
    throw new FormatError(`${input.name} has only the sums of a memory timeline`, {
      hint: "write it with export_memory_timeline('x.raw.json.gz')",
    });
  }
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    throw new FormatError(`${input.name} is no whole JSON text`, {
      hint: 'was it written to its end?',
      cause: error,
    });
  }
  const rows = Array.isArray(parsed) ? parsed : [];
  const bad = rows.findIndex((row) => !isRow(row));
  if (bad >= 0 || rows.length === 0) {
    throw new FormatError(
      `${input.name}: entry ${bad + 1} is no [time, action, bytes, category of 0 to ${CATEGORIES.length - 1}]`,
    );
  }
  // Tensors from before the profiler began carry the time -1.
  const first = rows.find((row: Row) => row[0] > 0)?.[0] ?? 0;
  return rows
    .map((row: Row): Row => [Math.max(row[0], first), row[1], row[2], row[3]])
    .sort((a, b) => a[0] - b[0]);
}

const isRow = (row: unknown): row is Row =>
  Array.isArray(row) &&
  row.length === 4 &&
  row.every((value) => typeof value === 'number' && Number.isFinite(value)) &&
  row[3] >= 0 &&
  row[3] < CATEGORIES.length;

/**
 * Without addresses, a free is that of the oldest tensor of its size and category: which one it was
 * changes no sum. A tensor that changes its category is freed and allocated anew.
 */
function pairUp(
  rows: readonly Row[],
  zero: number,
): { entries: MemoryChange[]; unmatched: number } {
  const waiting = new Map<string, bigint[]>();
  const entries: MemoryChange[] = [];
  let [next, unmatched] = [1n, 0];
  for (const [time, , bytes, category] of rows) {
    if (bytes === 0) continue;
    const key = `${category} ${Math.abs(bytes)}`;
    const queue = waiting.get(key) ?? [];
    waiting.set(key, queue);
    if (bytes > 0) queue.push(next++);
    const address = bytes > 0 ? queue.at(-1) : queue.shift();
    if (address === undefined) unmatched++;
    else {
      entries.push({
        time: time - zero,
        address,
        bytes,
        tag: category,
        allocated: null,
        reserved: null,
      });
    }
  }
  return { entries, unmatched };
}
