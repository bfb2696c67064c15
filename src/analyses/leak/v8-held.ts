import { SECOND_NS } from '../../base/time.ts';
import type { Recording } from '../../model/recording.ts';
import { type V8Memory, v8Memory } from '../../model/v8-memory.ts';
import { OF_PROCESSES } from './judged-series.ts';
import type { Trend } from './trend.ts';
import type { WorkloadSpan } from './workload-span.ts';

/**
 * V8's heap grows in steps, and what leaks fills what the last of them brought: from outside it stands still for
 * a while, or falls. What its collections left tells how much is held, whatever the process as a whole does. Where each left more
 * than the one before, evenly, to the end, it leaks; and nothing is cleared, nor bounded by less, that collections show to grow.
 */
export function unlessV8HoldsMore(trend: Trend, recording: Recording, span: WorkloadSpan): Trend {
  const { verdict, rule, line, bound, floorBytes } = trend;
  if (!BY_SIZE_ALONE.has(rule) || !OF_PROCESSES.has(trend.measure) || !line) return trend;
  const [from, to] = [line.fromSeconds, line.toSeconds].map(
    (seconds) => span.zeroNs + seconds * SECOND_NS,
  ) as [number, number];
  const rates = v8Memory(recording)
    .map((thread) => threadRates(thread, from, to))
    .filter((of) => of !== null);
  const sum = (of: (rates: Rates) => number) => rates.reduce((all, one) => all + of(one), 0);
  const seconds = line.toSeconds - line.fromSeconds;
  const growth = sum(({ usual }) => usual) * seconds;
  if (!(growth > FLOORS * floorBytes)) return trend;
  const steps = trend.over === 'iterations' ? trend.iterations! - 1 : seconds;
  const each = (rate: number) => (rate * seconds) / steps;
  const high = each(sum(({ most }) => most));
  const bounded = (most: number) => bound && { ...bound, most, growthBytes: most * steps };
  // Without iterations nothing tells what is loaded from what leaks.
  if (trend.over !== 'iterations') {
    const most = bounded(Math.max(bound?.most ?? 0, high));
    return { ...trend, bound: most, ...(verdict === 'inconclusive' ? {} : HOLDS_MORE) };
  }
  const middle = (line.fromBytes + line.toBytes) / 2;
  return {
    ...trend,
    ...LEAKS,
    bound: bounded(high),
    slope: { bytes: each(sum(({ usual }) => usual)), low: each(sum(({ least }) => least)), high },
    perHourBytes: (growth / seconds) * 3600,
    growthBytes: growth,
    line: { ...line, fromBytes: middle - growth / 2, toBytes: middle + growth / 2 },
  };
}

const LEAKS = {
  verdict: 'leak',
  rule: 'held by V8 grows',
  because: "each of V8's collections leaves more than the one before, to the end",
} as const;

const HOLDS_MORE = {
  verdict: 'inconclusive',
  rule: 'held by V8 grows',
  because:
    "each of V8's collections left more than the one before, though the process hardly grew: it may be loading, or leaks into memory that V8 had already",
} as const;

/** Verdicts by how large the process was and how V8's memory as a whole moved; what may be loading, or was asked for before, stays so. */
const BY_SIZE_ALONE: ReadonlySet<string> = new Set([
  'flat at the end',
  'no growth',
  'settled',
  'not shown',
  'in use',
  'garbage',
  'swings',
  'V8 has more',
]);

interface Held {
  readonly ns: number;
  readonly bytes: number;
}

/** What each collection left, from the last one before that time on. */
function heldAt({ readings }: V8Memory, fromNs: number, toNs: number): Held[] {
  const found = new Map<number, Held>();
  for (const { ns, collections, left } of readings) {
    if (!left || ns > toNs) continue;
    // Until the next collection buffers are still being given back: the last word counts, as of the first moment.
    const at = found.get(collections)?.ns ?? ns;
    found.set(collections, { ns: at, bytes: left.heap + left.external });
  }
  const all = [...found.values()];
  const first = Math.max(
    0,
    all.findLastIndex(({ ns }) => ns <= fromNs),
  );
  return all.slice(first);
}

/** A collection at the end drops what the program held until then: it adds to what is known, and never takes away. */
function threadRates(thread: V8Memory, fromNs: number, toNs: number): Rates | null {
  const held = heldAt(thread, fromNs, toNs);
  const { end } = thread;
  const more =
    end && evenRates([...held, { ns: end.ns, bytes: end.heap + end.external }], toNs - fromNs);
  return more ?? evenRates(held, toNs - fromNs);
}

/** Bytes for each second: over all of it, and of the slowest and the fastest half. */
interface Rates {
  readonly usual: number;
  readonly least: number;
  readonly most: number;
}

/** They are few, and what a busy program took until V8 told of a collection is in them: more than what counts elsewhere. */
const FLOORS = 2;
/** So many that grow each time do so by chance less than once in a hundred times. */
const FEWEST = 5;
/** Of the judged time, from the first to the last of them. */
const SPREAD = 0.7;
/** Each gains so much of the average at least, and the second half so much of what the first did: no single step, no warm-up. */
const EACH_SHARE = 0.2;
const HALF_SHARE = 0.5;

/** null: they do not show that more and more is held. */
function evenRates(held: readonly Held[], lengthNs: number): Rates | null {
  const [first, last] = [held[0], held.at(-1)];
  if (!first || !last || held.length < FEWEST) return null;
  if (last.ns - first.ns < SPREAD * lengthNs) return null;
  const rate = (a: Held, b: Held) => ((b.bytes - a.bytes) / (b.ns - a.ns)) * SECOND_NS;
  const usual = rate(first, last);
  const isEven = held.every((one, i) => i === 0 || rate(held[i - 1]!, one) > EACH_SHARE * usual);
  if (!(usual > 0) || !isEven) return null;
  const middle = held.slice(1, -1).reduce((a, b) => {
    const away = ({ ns }: Held) => Math.abs(ns - (first.ns + last.ns) / 2);
    return away(b) < away(a) ? b : a;
  });
  const halves = [rate(first, middle), rate(middle, last)] as const;
  if (halves[1] < HALF_SHARE * halves[0]) return null;
  return { usual, least: Math.min(...halves), most: Math.max(...halves) };
}
