import type { Speaker } from './job.ts';

/** Rows of `process` at most: a job of a thousand ranks is drawn more coarsely than one of four. */
const MOST_ROWS = 400_000;
const MOST_TICKS = 2000;

type Row = (number | null)[];

/**
 * The sizes that processes told of themselves, each when it spoke, as samples that have all of them at
 * once. Of each stretch the largest size counts, so that no peak is lost; one that was silent keeps its last.
 */
export function* sizeRows(speakers: readonly Speaker[], start: number): Generator<Row> {
  const told = speakers
    .map((speaker) => sizesOf(speaker, start))
    .filter((one) => one.at.length > 0);
  if (told.length === 0) return;
  const most = Math.max(...told.map(({ at }) => at.length));
  const ticks = Math.max(1, Math.min(most, MOST_TICKS, Math.floor(MOST_ROWS / told.length)));
  const first = Math.min(...told.map(({ at }) => at[0]!));
  const last = Math.max(...told.map(({ at }) => at.at(-1)!));
  const step = (last - first) / ticks || 1;
  for (let tick = 1; tick <= ticks; tick++) {
    const until = tick === ticks ? last : first + tick * step;
    for (const one of told) {
      const size = one.upTo(until);
      if (!size) continue;
      const nothing = [null, null, null, null];
      yield [until, one.pid, size.rss, ...nothing, size.hwm, null, 0];
    }
  }
}

interface Sizes {
  readonly pid: number;
  readonly at: readonly number[];
  /** The largest since it was asked last; null before it was heard of and after its end. */
  upTo(ns: number): { rss: number; hwm: number | null } | null;
}

function sizesOf(speaker: Speaker, start: number): Sizes {
  const told = speaker.messages.flatMap((message) => {
    if (message.type !== 'counters') return [];
    const rss = message.values['process.rss'];
    if (rss === undefined) return [];
    const hwm = message.values['process.hwm'] ?? null;
    return [{ at: message.time + speaker.offset - start, rss, hwm }];
  });
  let next = 0;
  let held: { rss: number; hwm: number | null } | null = null;
  return {
    pid: speaker.pid,
    at: told.map(({ at }) => at),
    upTo(ns) {
      if (next === told.length && ns > (told.at(-1)?.at ?? 0)) return null;
      let most = next < told.length && told[next]!.at <= ns ? null : held;
      for (; next < told.length && told[next]!.at <= ns; next++) {
        held = told[next]!;
        if (!most || held.rss > most.rss) most = held;
      }
      return most;
    },
  };
}
