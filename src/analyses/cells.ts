import { max } from 'd3-array';
import { countBefore } from '../base/search.ts';
import { SECOND_NS } from '../base/time.ts';
import { origin } from '../model/origin.ts';
import type { Recording } from '../model/recording.ts';
import { workloadProcesses } from '../model/workload-processes.ts';

/** What one cell of a notebook took and left. */
export interface Cell {
  /** `In [3]`. */
  readonly name: string;
  readonly number: number | null;
  /** The kernel. */
  readonly pid: number;
  readonly startSeconds: number;
  /** null: it still ran when the recording ended. */
  readonly endSeconds: number | null;
  readonly failed: boolean;
  /** Resident bytes of the kernel: before the cell and after it as the agent told, else by the nearest sample, and the most while it ran. */
  readonly beforeBytes: number | null;
  readonly peakBytes: number | null;
  readonly afterBytes: number | null;
  /** Of each card that torch used: what it had handed out before and after. */
  readonly cards: readonly CellCard[];
}

export interface CellCard {
  readonly device: number;
  readonly beforeBytes: number | null;
  readonly afterBytes: number | null;
}

export interface Cells {
  readonly type: 'cells';
  /** In the order in which they began. */
  readonly cells: readonly Cell[];
}

interface Span {
  readonly name: string;
  readonly number: number;
  readonly pid: number;
  readonly from: number;
  to: number | null;
  failed: boolean;
  /** Resident bytes at both ends, as the agent told; NaN: it did not. */
  readonly before: number;
  after: number;
}

const FAILED = ' failed';

export function cells(recording: Recording): Cells {
  const spans = cellSpans(recording);
  if (spans.length === 0) return { type: 'cells', cells: [] };
  const zero = origin(recording).ns;
  const pids = [...new Set(spans.map(({ pid }) => pid))];
  const sizes = new Map(pids.map((pid) => [pid, sizesOf(recording, pid)]));
  const counters = new Map(pids.map((pid) => [pid, cardCounters(recording, pid)]));
  return {
    type: 'cells',
    cells: spans.map((span) => ({
      name: span.name,
      number: Number.isNaN(span.number) ? null : span.number,
      pid: span.pid,
      startSeconds: (span.from - zero) / SECOND_NS,
      endSeconds: span.to === null ? null : (span.to - zero) / SECOND_NS,
      failed: span.failed,
      ...within(sizes.get(span.pid)!, span),
      cards: [...counters.get(span.pid)!].map(([device, values]) => ({
        device,
        beforeBytes: lastUntil(values, span.from),
        afterBytes: span.to === null ? null : lastUntil(values, span.to),
      })),
    })),
  };
}

/** A cell that began and never ended is cut off by the next one of its kernel, or by the recording. */
function cellSpans(recording: Recording): Span[] {
  const marks = recording.table('marks');
  const [times, pids, numbers] = [marks.f64('time'), marks.f64('pid'), marks.f64('iteration')];
  const [kinds, names, values] = [marks.u32('kind'), marks.u32('name'), marks.f64('value')];
  const spans: Span[] = [];
  const open = new Map<number, Span>();
  for (let row = 0; row < marks.rows; row++) {
    if (recording.text(kinds[row]!) !== 'cell') continue;
    const [name, pid] = [recording.text(names[row]!), pids[row]!];
    const running = open.get(pid);
    if (!name.startsWith('/')) {
      const ends = { to: null, failed: false, after: Number.NaN };
      const begins = { from: times[row]!, before: values[row]! };
      const span = { name, number: numbers[row]!, pid, ...begins, ...ends };
      spans.push(span);
      open.set(pid, span);
    } else if (name === `/${running?.name}` || name === `/${running?.name}${FAILED}`) {
      running!.to = times[row]!;
      running!.after = values[row]!;
      running!.failed = name.endsWith(FAILED);
      open.delete(pid);
    }
  }
  return spans.sort((a, b) => a.from - b.from);
}

/** One quantity of one process, in order of time. */
interface Values {
  readonly times: Float64Array;
  readonly values: Float64Array;
}

function sizesOf(recording: Recording, pid: number): Values {
  const table = workloadProcesses(recording);
  const [times, pids, sizes] = [table.f64('time'), table.u32('pid'), table.f64('rss')];
  return valuesAt(times, sizes, (row) => pids[row] === pid && !Number.isNaN(sizes[row]!));
}

const ALLOCATED = /^torch(\d+)\.allocated$/;

function cardCounters(recording: Recording, pid: number): Map<number, Values> {
  const table = recording.table('counters');
  const [times, pids, names] = [table.f64('time'), table.u32('pid'), table.u32('name')];
  const found = new Map<number, Values>();
  for (const name of new Set(names)) {
    const device = ALLOCATED.exec(recording.text(name))?.[1];
    if (device === undefined) continue;
    const isOwn = (row: number) => names[row] === name && pids[row] === pid;
    const values = valuesAt(times, table.f64('value'), isOwn);
    if (values.times.length > 0) found.set(Number(device), values);
  }
  return found;
}

function valuesAt(
  times: Float64Array,
  values: Float64Array,
  isOwn: (row: number) => boolean,
): Values {
  const rows = new Uint32Array(times.keys()).filter(isOwn);
  return {
    times: Float64Array.from(rows, (row) => times[row]!),
    values: Float64Array.from(rows, (row) => values[row]!),
  };
}

function within({ times, values }: Values, { from, to, before, after }: Span) {
  const first = countBefore(times.length, (row) => times[row]! <= from);
  const end = to === null ? times.length : countBefore(times.length, (row) => times[row]! < to);
  const beforeBytes = told(before) ?? values[first - 1] ?? null;
  const next = told(after) ?? values[end] ?? values[end - 1] ?? null;
  const afterBytes = to === null ? null : next;
  // What was there at both ends was there within.
  const ends = [beforeBytes, afterBytes].filter((bytes) => bytes !== null);
  const peakBytes = max([...ends, ...values.subarray(first, end)]) ?? null;
  return { beforeBytes, peakBytes, afterBytes };
}

const told = (bytes: number): number | null => (Number.isNaN(bytes) ? null : bytes);

function lastUntil({ times, values }: Values, ns: number): number | null {
  return values[countBefore(times.length, (row) => times[row]! <= ns) - 1] ?? null;
}
