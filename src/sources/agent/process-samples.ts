/** Rows of `process` at most: a job of a thousand ranks is drawn more coarsely than one of four. */
const MOST_ROWS = 400_000;
const MOST_TICKS = 2000;

interface Size {
  readonly rss: number;
  readonly hwm: number | null;
}

/** What a process told of its own size, and when: ns since the recording's start. */
export interface SizeReports {
  readonly pid: number;
  readonly sizes: readonly (Size & { readonly at: number })[];
}

type ProcessRow = (number | null)[];

/**
 * The sizes that processes told of themselves, each when it spoke, as samples that have all of them at
 * once. Of each stretch the largest size counts, so that no peak is lost; one that was silent keeps its last.
 */
export function* processSamples(processes: readonly SizeReports[]): Generator<ProcessRow> {
  const reporting = processes.filter(({ sizes }) => sizes.length > 0);
  if (reporting.length === 0) return;
  const most = Math.max(...reporting.map(({ sizes }) => sizes.length));
  const ticks = Math.max(1, Math.min(most, MOST_TICKS, Math.floor(MOST_ROWS / reporting.length)));
  const first = Math.min(...reporting.map(({ sizes }) => sizes[0]!.at));
  const last = Math.max(...reporting.map(({ sizes }) => sizes.at(-1)!.at));
  const step = (last - first) / ticks || 1;
  const readers = reporting.map(({ pid, sizes }) => ({ pid, upTo: largestUpTo(sizes) }));
  for (let tick = 1; tick <= ticks; tick++) {
    const until = tick === ticks ? last : first + tick * step;
    for (const { pid, upTo } of readers) {
      const size = upTo(until);
      if (!size) continue;
      const nothing = [null, null, null, null];
      yield [until, pid, size.rss, ...nothing, size.hwm, null, 0];
    }
  }
}

/** The largest size since it was asked last; null before the process was heard of and after its end. */
function largestUpTo(sizes: SizeReports['sizes']): (ns: number) => Size | null {
  let next = 0;
  let held: Size | null = null;
  return (ns) => {
    if (next === sizes.length && ns > (sizes.at(-1)?.at ?? 0)) return null;
    let most = next < sizes.length && sizes[next]!.at <= ns ? null : held;
    for (; next < sizes.length && sizes[next]!.at <= ns; next++) {
      held = sizes[next]!;
      if (!most || held.rss > most.rss) most = held;
    }
    return most;
  };
}
