import { SECOND_NS } from '../../base/time.ts';
import type { Recording } from '../../model/recording.ts';
import { type V8Held, type V8Memory, type V8Reading, v8Memory } from '../../model/v8-memory.ts';
import type { Pids } from './kind/process-sums.ts';
import { slopeBetween } from './slope-between.ts';

/** How fast what V8 has grows, garbage and all, and how fast what it is known to hold; in bytes for each second. */
export interface V8Growth {
  /** Objects of the heap, and what lies outside of it but is held from there. */
  readonly now: number;
  /** Bytes between the most and the least that it had. */
  readonly swing: number;
  /** What collections left, at least: what none has seen may be garbage. */
  readonly heldHeap: number;
  readonly heldExternal: number;
  /** Major collections in this time … */
  readonly collections: number;
  /** … and whether any came late enough to tell what is held. */
  readonly known: boolean;
}

/** Two moments closer than this share of the time tell no rate. */
const LEAST_SPAN = 0.3;
/** So many collections are seen as a line; of fewer the first and the last count. */
const FEWEST_FOR_LINE = 4;

/** Of these processes, all threads together; null where none told anything. */
export function v8Growth(
  recording: Recording,
  only: Pids,
  fromNs: number,
  toNs: number,
): V8Growth | null {
  const threads = v8Memory(recording)
    .filter(({ pid }) => only === null || only.has(pid))
    .map((one) => threadGrowth(one, fromNs, toNs))
    .filter((one) => one !== null);
  if (threads.length === 0) return null;
  const sum = (of: (one: V8Growth) => number) => threads.reduce((all, one) => all + of(one), 0);
  return {
    now: sum(({ now }) => now),
    swing: sum(({ swing }) => swing),
    heldHeap: sum(({ heldHeap }) => heldHeap),
    heldExternal: sum(({ heldExternal }) => heldExternal),
    collections: sum(({ collections }) => collections),
    known: threads.some(({ known }) => known),
  };
}

function threadGrowth({ readings, end }: V8Memory, fromNs: number, toNs: number): V8Growth | null {
  const within = readings.filter(({ ns }) => ns >= fromNs && ns <= toNs);
  const [first, last] = [within[0], within.at(-1)];
  if (!first || !last || last.ns - first.ns < LEAST_SPAN * (toNs - fromNs)) return null;
  const used = slope(within, ({ heap, external }) => heap + external);
  const taken = slope(within, ({ committed, external }) => committed + external);
  const before = readings.filter(({ ns }) => ns < first.ns).at(-1)?.collections ?? 0;
  const held = heldGrowth(within, end, toNs - fromNs);
  return {
    now: Math.max(used, taken),
    swing: swingOf(within),
    heldHeap: held('heap'),
    heldExternal: held('external'),
    collections: last.collections - before,
    known: lastCollected(within) - first.ns >= LEAST_SPAN * (toNs - fromNs),
  };
}

/**
 * What is held is known after each collection only. Before the first, all that V8 had is the most that may have been
 * held; so growth from there to what a collection left is the least that is held more. An end's collection
 * also drops what the program held to its end, so it adds to what is known and never takes away.
 */
function heldGrowth(within: readonly V8Reading[], end: V8Held | null, length: number) {
  const collected = afterCollections(within);
  return (what: 'heap' | 'external'): number => {
    const rate = (a: V8Held | undefined, b: V8Held | null | undefined) =>
      a && b && b.ns - a.ns >= LEAST_SPAN * length
        ? ((b[what] - a[what]) / (b.ns - a.ns)) * SECOND_NS
        : Number.NEGATIVE_INFINITY;
    const [start, one, last] = [within[0], collected[0], collected.at(-1)];
    const spread = one && last && last.ns - one.ns >= LEAST_SPAN * length;
    const known =
      spread && collected.length >= FEWEST_FOR_LINE
        ? [slope(collected, (held) => held[what])]
        : [rate(one, last), rate(start, last)];
    return Math.max(0, ...known, rate(one, end), rate(start, end));
  };
}

/** What each collection left, as it was told last: until then buffers were still being given back. */
function afterCollections(within: readonly V8Reading[]): V8Held[] {
  const found = new Map<number, V8Held>();
  for (const { collections, left } of within) {
    if (left) found.set(collections, { ...left, ns: found.get(collections)?.ns ?? left.ns });
  }
  return [...found.values()];
}

function swingOf(within: readonly V8Reading[]): number {
  const sizes = within.map(({ heap, external }) => heap + external);
  return Math.max(...sizes) - Math.min(...sizes);
}

/** When the last of them came; −∞ where none did. */
const lastCollected = (within: readonly V8Reading[]): number =>
  afterCollections(within).at(-1)?.ns ?? Number.NEGATIVE_INFINITY;

function slope<T extends { readonly ns: number }>(
  all: readonly T[],
  of: (one: T) => number,
): number {
  const times = Float64Array.from(all, ({ ns }) => ns);
  const values = Float64Array.from(all, of);
  return slopeBetween({ name: '', times, values }, times[0]!, times[times.length - 1]!);
}
