import { median } from '../../base/stats.ts';
import type { Recording } from '../../model/recording.ts';

/** Something that a rank holds more of than the median rank does. */
export interface RankHolding {
  readonly what: string;
  readonly bytes: number;
  readonly medianBytes: number;
}

/** What malloc handed out, as it is called among holdings. */
export const MALLOC = 'memory that malloc handed out';
/** The most that torch's allocator had handed out, likewise. */
export const TORCH = 'torch allocated';
const MALLOC_FREE = 'free memory that malloc keeps';
const TORCH_FREE = 'free memory that torch keeps';

/** Less than this is no explanation. */
const WORTH_NAMING = 8 * 1024 ** 2;
const MOST = 5;

/** Rank → what → the most of it, from counters, layers and tensors that agents reported. */
export type Holdings = Map<number, Map<string, number>>;

export function holdings(recording: Recording, rankOf: ReadonlyMap<number, number>): Holdings {
  const held: Holdings = new Map();
  const note = (pid: number, what: string, bytes: number) => {
    const rank = rankOf.get(pid);
    if (rank === undefined || Number.isNaN(bytes)) return;
    let mine = held.get(rank);
    if (!mine) {
      mine = new Map();
      held.set(rank, mine);
    }
    mine.set(what, Math.max(mine.get(what) ?? 0, bytes));
  };
  fromCounters(recording, note);
  fromLayers(recording, note);
  fromTensors(recording, note);
  return held;
}

/** What of a rank is more than usual, the largest difference first; an allocator's total after what explains it. */
export function moreThanUsual(rank: number, held: Holdings): RankHolding[] {
  const others = [...held].filter(([other]) => other !== rank).map(([, mine]) => mine);
  if (others.length === 0) return [];
  const more = [...(held.get(rank) ?? [])]
    .map(([what, bytes]) => {
      const usual = others.map((mine) => mine.get(what) ?? 0);
      return { what, bytes, medianBytes: median(Float64Array.from(usual)) };
    })
    .filter((one) => difference(one) >= WORTH_NAMING)
    .sort((a, b) => difference(b) - difference(a));
  const parts = more.filter(({ what }) => !TOTALS.has(what) && !FREE.has(what));
  const explained = (one: RankHolding) =>
    TOTALS.has(one.what) &&
    parts.some((part) => difference(part) >= EXPLAINS_SHARE * difference(one));
  return [...more.filter((one) => !explained(one)), ...more.filter(explained)].slice(0, MOST);
}

const difference = ({ bytes, medianBytes }: RankHolding) => bytes - medianBytes;

/** What holds other things that are listed, and is named after one of them that is most of it. */
const TOTALS: ReadonlySet<string> = new Set([MALLOC, TORCH]);
const FREE: ReadonlySet<string> = new Set([MALLOC_FREE, TORCH_FREE]);
const EXPLAINS_SHARE = 0.75;

type Note = (pid: number, what: string, bytes: number) => void;

/**
 * Devices are summed: a rank may use several, and others use other ones. What torch handed out is known by its own exact count of the most
 * (`peak`), as an agent reads the rest between iterations, when little is in use.
 */
function fromCounters(recording: Recording, note: Note): void {
  const table = recording.table('counters');
  const [times, pids] = [table.f64('time'), table.u32('pid')];
  const [names, values] = [table.u32('name'), table.f64('value')];
  const handedOut = new Map<number, Map<string, number>>();
  let read = new Map<string, number>();
  for (let row = 0; row < table.rows; row++) {
    const name = recording.text(names[row]!);
    const pid = pids[row]!;
    const [, device, what] = /^torch(\d+)\.(allocated|reserved|peak)$/.exec(name) ?? [];
    if (device && what !== 'peak') read.set(what!, (read.get(what!) ?? 0) + values[row]!);
    if (device && what !== 'reserved') {
      const most = handedOut.get(pid) ?? new Map<string, number>();
      most.set(device, Math.max(most.get(device) ?? 0, values[row]!));
      handedOut.set(pid, most);
    } else if (name === 'malloc.in_use') note(pid, MALLOC, values[row]!);
    else if (name === 'malloc.free') note(pid, MALLOC_FREE, values[row]!);
    const last = times[row + 1] !== times[row] || pids[row + 1] !== pid;
    if (!last) continue;
    const [allocated, reserved] = [read.get('allocated'), read.get('reserved')];
    if (allocated !== undefined && reserved !== undefined) {
      note(pid, TORCH_FREE, reserved - allocated);
    }
    read = new Map();
  }
  for (const [pid, most] of handedOut) {
    note(
      pid,
      TORCH,
      [...most.values()].reduce((sum, bytes) => sum + bytes, 0),
    );
  }
}

function fromLayers(recording: Recording, note: Note): void {
  const table = recording.table('layers');
  const pids = table.u32('pid');
  const [names, kinds, bytes] = [table.u32('name'), table.u32('kind'), table.f64('bytes')];
  for (let row = 0; row < table.rows; row++) {
    const kind = recording.text(kinds[row]!);
    if (NOT_HELD.has(kind)) continue;
    const name = recording.text(names[row]!);
    note(pids[row]!, `${kind.replaceAll('_', ' ')}${name ? ` of ${name}` : ''}`, bytes[row]!);
  }
}

/** By shape and kind; with what holds them, where a survey of any rank found it. */
function fromTensors(recording: Recording, note: Note): void {
  const table = recording.table('tensors');
  const [pids, bytes] = [table.u32('pid'), table.f64('bytes')];
  const [shapes, dtypes] = [table.u32('shape'), table.u32('dtype')];
  const [whats, holders] = [table.u32('what'), table.u32('holder')];
  const keyOf = (row: number) => {
    const what = recording.text(whats[row]!);
    const kind = what === '' ? 'tensors' : `tensors (${what})`;
    return `${kind} ${recording.text(shapes[row]!)} ${recording.text(dtypes[row]!)}`;
  };
  const holderOf = new Map<string, string>();
  for (let row = 0; row < table.rows; row++) {
    const holder = recording.text(holders[row]!);
    if (holder !== '') holderOf.set(keyOf(row), holder);
  }
  for (let row = 0; row < table.rows; row++) {
    const holder = holderOf.get(keyOf(row));
    note(pids[row]!, holder ? `${keyOf(row)}, held by ${holder}` : keyOf(row), bytes[row]!);
  }
}

/** Kinds that sum others up, or hold nothing. */
const NOT_HELD: ReadonlySet<string> = new Set(['iteration', 'device', 'peak', 'at_peak']);
