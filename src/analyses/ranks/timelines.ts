import { SECOND_NS } from '../../base/time.ts';
import { origin } from '../../model/origin.ts';
import { ranksOf } from '../../model/ranks.ts';
import type { Recording } from '../../model/recording.ts';
import { workloadProcesses } from '../../model/workload-processes.ts';
import { holdings, moreThanUsual, type RankHolding } from './holdings.ts';
import type { Outlier, Ranks } from './index.ts';
import { sizeMeasure } from './peak-sizes.ts';

/** What one rank held over time. */
export interface RankTimeline {
  readonly rank: number;
  readonly seconds: Float64Array;
  readonly bytes: Float64Array;
  /** What it holds more of than the median of the others, the largest first. */
  readonly more: readonly RankHolding[];
}

/** All of them, as a page gets them: a rank's curve is the columns `<rank>.seconds` and `<rank>.bytes`. */
export interface PackedRanks {
  readonly type: 'rank-timelines';
  readonly facts: Omit<Ranks, 'type'>;
  /** What the curves are of, and what they could be of. */
  readonly measure: Outlier['measure'];
  readonly measures: readonly Outlier['measure'][];
  readonly more: Readonly<Record<string, readonly RankHolding[]>>;
}

export function rankTimelines(recording: Recording, measure: Outlier['measure']): RankTimeline[] {
  const rankOf = ranksOf(recording);
  const held = holdings(recording, rankOf);
  const numbers = [...new Set(rankOf.values())].sort((a, b) => a - b);
  const rows =
    measure === 'memory' ? processRows(recording) : counterRows(recording, COUNTERS[measure]);
  const zero = origin(recording).ns;
  const found = new Map(numbers.map((rank) => [rank, { ns: [] as number[], of: [] as number[] }]));
  for (const { time, pid, bytes } of rows) {
    const line = found.get(rankOf.get(pid) ?? Number.NaN);
    if (!line || Number.isNaN(bytes)) continue;
    if (line.ns.at(-1) === time) line.of[line.of.length - 1]! += bytes;
    else {
      line.ns.push(time);
      line.of.push(bytes);
    }
  }
  return [...found].map(([rank, { ns, of }]) => ({
    rank,
    seconds: Float64Array.from(ns, (time) => (time - zero) / SECOND_NS),
    bytes: Float64Array.from(of),
    more: moreThanUsual(rank, held),
  }));
}

interface Row {
  readonly time: number;
  readonly pid: number;
  readonly bytes: number;
}

const COUNTERS = { torch: /^torch\d+\.allocated$/, malloc: /^malloc\.in_use$/ } as const;

function* processRows(recording: Recording): Generator<Row> {
  const table = workloadProcesses(recording);
  const [times, pids] = [table.f64('time'), table.u32('pid')];
  const values = table.f64(sizeMeasure(recording) ?? 'rss');
  for (let row = 0; row < table.rows; row++) {
    yield { time: times[row]!, pid: pids[row]!, bytes: values[row]! };
  }
}

function* counterRows(recording: Recording, wanted: RegExp): Generator<Row> {
  const table = recording.table('counters');
  const [times, pids] = [table.f64('time'), table.u32('pid')];
  const [names, values] = [table.u32('name'), table.f64('value')];
  for (let row = 0; row < table.rows; row++) {
    if (!wanted.test(recording.text(names[row]!))) continue;
    yield { time: times[row]!, pid: pids[row]!, bytes: values[row]! };
  }
}
