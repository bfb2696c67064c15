import { readFileSync } from 'node:fs';
import { summary } from '../../src/model/allocations/curve.ts';
import { lifetimes } from '../../src/model/allocations/lifetimes.ts';
import { traces } from '../../src/model/allocations/trace.ts';
import { openInput } from '../../src/open/open.ts';

/** What a device's trace comes to, in the words of expected.ndjson. */
export interface Expected {
  readonly events: number;
  readonly actions: Readonly<Record<string, number>>;
  readonly end_requested: number;
  readonly end_reserved: number;
  readonly start_requested: number;
  readonly start_reserved: number;
  readonly peak_requested: number;
  readonly peak_event: number;
  readonly peak_reserved: number;
}

/** File → device → answers, from a file of such lines. */
export function expectedIn(path: string): Record<string, Record<string, Expected>> {
  const lines = readFileSync(path, 'utf8').trim().split('\n');
  return Object.assign({}, ...lines.map((line) => JSON.parse(line) as object)) as Record<
    string,
    Record<string, Expected>
  >;
}

/** The same by our own replay, and how many bytes the lifetimes say were live at the peak. */
export async function answers(path: string): Promise<{
  devices: Record<string, Expected>;
  livePeaks: Record<string, number>;
  unmatched: number;
}> {
  const devices: Record<string, Expected> = {};
  const livePeaks: Record<string, number> = {};
  let unmatched = 0;
  for (const trace of traces(await openInput(path))) {
    const bytes = summary(trace);
    devices[trace.device] = {
      events: trace.events,
      actions: bytes.actions,
      end_requested: bytes.endRequested,
      end_reserved: bytes.endReserved,
      start_requested: bytes.startRequested,
      start_reserved: bytes.startReserved,
      peak_requested: bytes.peakRequested,
      peak_event: bytes.peakEvent,
      peak_reserved: bytes.peakReserved,
    };
    const lives = lifetimes(trace);
    unmatched += lives.unmatchedAllocs + lives.unmatchedFrees;
    let live = 0;
    for (let row = 0; row < lives.count; row++) {
      const there = lives.start[row]! <= bytes.peakEvent && lives.end[row]! > bytes.peakEvent;
      if (there) live += lives.size[row]!;
    }
    livePeaks[trace.device] = live;
  }
  return { devices, livePeaks, unmatched };
}
