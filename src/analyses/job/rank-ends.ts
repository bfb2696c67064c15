import type { RankEnding } from '../../model/job/summary.ts';
import { wallClock } from '../../model/job/wall-clock.ts';
import { firstMark, SAMPLED } from '../../model/origin.ts';
import type { Recording } from '../../model/recording.ts';
import type { Report } from '../report.ts';
import type { Members } from './members.ts';

/** How each rank of a recording ended, and when; `running`: it goes on while it is read. */
export function rankEnds(
  recording: Recording,
  { ranks, rankOf }: Members,
  { ending }: Report,
  running: boolean,
): (rank: number) => RankEnding {
  const { how, code, signal, oomKilled, oomMessages } = ending;
  const wall = wallClock(recording);
  const outOfMemory = oomMessages.length > 0 ? true : oomKilled;
  const endNs = firstMark(recording, 'end') ?? lastSample(recording);
  const whole: RankEnding = running
    ? { how: 'running', atMs: null, code: null, signal: null, outOfMemory: null }
    : { how, atMs: endNs === null ? null : wall(endNs), code, signal, outOfMemory };
  if (ranks.length === 1 || running) return () => whole;
  const ends = mainEnds(recording, rankOf);
  const ranOut = new Set(
    (recording.run.outOfMemory ?? []).map(({ pid }) => rankOf.get(pid ?? Number.NaN)),
  );
  return (rank) => {
    const ns = ends.get(rank) ?? null;
    const atMs = ns === null ? whole.atMs : wall(ns);
    if (how !== 'failed' && how !== 'killed' && how !== 'cut-off') return { ...whole, atMs };
    // Of the one recorder's exit nobody knows whose it was.
    const unseen = { code: null, signal: null, outOfMemory: ranOut.has(rank) ? true : null };
    return { how: how === 'cut-off' && ns === null ? how : 'gone', atMs, ...unseen };
  };
}

/** When the first process of each rank, which the launcher started, was seen last; none while it lived. */
function mainEnds(recording: Recording, rankOf: ReadonlyMap<number, number>): Map<number, number> {
  const table = recording.table('processes');
  const pids = table.u32('pid');
  const [first, last] = [table.f64('first_seen'), table.f64('last_seen')];
  const mains = new Map<number, { since: number; until: number }>();
  for (let row = 0; row < table.rows; row++) {
    const rank = rankOf.get(pids[row]!);
    if (rank === undefined) continue;
    const known = mains.get(rank);
    // A later row of the same process is the truth about it.
    if (known && first[row]! > known.since) continue;
    mains.set(rank, { since: first[row]!, until: last[row]! });
  }
  return new Map(
    [...mains].flatMap(([rank, { until }]) => (Number.isNaN(until) ? [] : [[rank, until]])),
  );
}

function lastSample(recording: Recording): number | null {
  const lasts = SAMPLED.map((name) => recording.table(name))
    .filter((table) => table.rows > 0)
    .map((table) => table.f64('time').at(-1)!);
  return lasts.length === 0 ? null : Math.max(...lasts);
}
