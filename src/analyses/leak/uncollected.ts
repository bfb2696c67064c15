import { formatBytes } from '../../base/bytes.ts';
import { count } from '../../base/text.ts';
import { SECOND_NS } from '../../base/time.ts';
import type { Recording } from '../../model/recording.ts';
import { v8Memory } from '../../model/v8-memory.ts';
import { type JudgedSeries, OF_PROCESSES } from './judged-series.ts';
import { columnSum, type Pids } from './kind/process-sums.ts';
import { runtimeOf } from './kind/program.ts';
import { roleFinder } from './roles.ts';
import { sinks } from './sinks.ts';
import { slopeBetween } from './slope-between.ts';
import type { TrendDecision } from './trend-rules.ts';
import { v8Growth } from './v8-growth.ts';

/** The judged time, and by how much the series grew in it. */
interface Grown {
  readonly fromSeconds: number;
  readonly toSeconds: number;
  readonly growth: number;
  readonly zeroNs: number;
}

/** What explains the growth has at least this share of it. */
const MAIN_SHARE = 0.5;

/**
 * Growth of a Node program is a leak as far as V8 still held it after a collection: from outside, garbage that it has
 * had no reason to collect looks the same, and V8 lets much of it pile up.
 */
export function unlessGarbage(
  recording: Recording,
  { measure, role }: JudgedSeries,
  { fromSeconds, toSeconds, growth, zeroNs }: Grown,
  decision: TrendDecision,
): TrendDecision {
  if (decision.verdict !== 'leak' || !OF_PROCESSES.has(measure)) return decision;
  const seconds = toSeconds - fromSeconds;
  const [fromNs, toNs] = [zeroNs + fromSeconds * SECOND_NS, zeroNs + toSeconds * SECOND_NS];
  const nodes = nodeProcesses(recording, role);
  const v8 = v8Growth(recording, nodes.telling, fromNs, toNs);
  const grown = (v8?.now ?? 0) * seconds;
  if (v8 && grown >= MAIN_SHARE * growth) {
    const held = (v8.heldHeap + v8.heldExternal) * seconds;
    if (held >= MAIN_SHARE * growth) return decision;
    return v8.known ? notHeld(grown, held, v8.collections) : notCollected(grown, v8.collections);
  }
  if (v8 && growth < v8.swing) return swings(growth, v8.swing);
  const unseen = columnSum(recording, 'anon', nodes.silent);
  if (slopeBetween(unseen, fromNs, toNs) * seconds < MAIN_SHARE * growth) return decision;
  return growth > MOST_UNCOLLECTED || sinks(unseen, fromNs, toNs, growth) ? decision : NOT_TOLD;
}

/**
 * V8 starts with a limit of half a gigabyte for its old generation, and of 64 MiB for what lies outside of its heap;
 * up to there it may go without a major collection.
 */
const MOST_UNCOLLECTED = 2 ** 30;

const inconclusive = (rule: string, because: string): TrendDecision => ({
  verdict: 'inconclusive',
  rule,
  because,
});

const notCollected = (grown: number, collections: number) =>
  inconclusive(
    'not collected yet',
    `V8 has ${collections === 0 ? 'not collected in this time' : 'collected at the start of this time only'}: the ${formatBytes(grown)} by which its memory grew may be garbage (record for longer, ` +
      'or give it less room, node --max-old-space-size=…, so that it collects)',
  );

const notHeld = (grown: number, held: number, collections: number) =>
  inconclusive(
    'garbage',
    `V8's memory grew by ${formatBytes(grown)}, but what ${count(collections, 'collection')} left of it by ` +
      `${formatBytes(held)} only: the rest is garbage, or is not known to be held`,
  );

/** malloc gives back only some of what V8 frees, now more and now less. */
const swings = (growth: number, swing: number) =>
  inconclusive(
    'swings',
    `it grew by ${formatBytes(growth)}, while V8 took and freed ${formatBytes(swing)} again and again: malloc may have kept as much of that`,
  );

const NOT_TOLD = inconclusive(
  'no word of V8',
  'it is Node that grows, and nothing tells what V8 has collected of it: it may be garbage (record the Node program itself, ' +
    'with its agent, or for longer)',
);

/** Node's processes of a role: those whose V8 tells of itself, and the others. */
function nodeProcesses(recording: Recording, role: string | null) {
  const telling = new Set(v8Memory(recording).map(({ pid }) => pid));
  const silent = new Set<number>();
  const roleAt = roleFinder(recording);
  const table = recording.table('processes');
  const [pids, firsts] = [table.u32('pid'), table.f64('first_seen')];
  for (let row = 0; row < table.rows; row++) {
    const pid = pids[row]!;
    if (role !== null && roleAt(pid, firsts[row]!) !== role) telling.delete(pid);
    else if (!telling.has(pid) && runtimeOf(recording, row) === 'node') silent.add(pid);
  }
  return { telling: telling as NonNullable<Pids>, silent: silent as NonNullable<Pids> };
}
