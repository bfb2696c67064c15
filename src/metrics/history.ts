import type { Recording } from '../model/recording.ts';
import { type Window, WindowTaker } from './window/window-taker.ts';

/** Windows at a time: those of a week would fill the memory. */
const PORTION = 200;

/** The windows of a finished recording, as they were sent while it ran or would have been. */
export function* windowsOf(recording: Recording, lengthNs: number): Generator<Window> {
  let windows: Window[] = [];
  const taker = new WindowTaker(lengthNs, (window) => windows.push(window));
  // Who is who comes first; here all of it is known.
  const names = new Set(['strings', 'processes', ...recording.tables].filter((n) => n !== 'clock'));
  let end = recording.table('clock').f64('monotonic').at(-1) ?? 0;
  for (const name of names as Set<(typeof recording.tables)[number]>) {
    const { spec, batches } = recording.table(name);
    for (const batch of batches) {
      taker.take(spec, batch);
      if (TIMED.has(name)) end = Math.max(end, (batch.columns[0] as Float64Array).at(-1) || 0);
    }
  }
  for (let at = PORTION * lengthNs; at < end; at += PORTION * lengthNs) {
    taker.advance(at);
    yield* windows;
    windows = [];
  }
  taker.end(end);
  yield* windows;
}

/** What is sampled all the time: a mark may have been made by another clock. */
const TIMED: ReadonlySet<string> = new Set(['host', 'process', 'cgroup', 'gpu']);
