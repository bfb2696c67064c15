import { lastUpTo } from '../../base/search.ts';
import { MILLISECOND_NS } from '../../base/time.ts';
import type { Recording } from '../recording.ts';

/** The wall's time of a moment of the recording, in milliseconds since 1970, by the clock as it was then. */
export function wallClock(recording: Recording): (ns: number) => number {
  const clock = recording.table('clock');
  const [monotonic, wall] = [clock.f64('monotonic'), clock.f64('wall')];
  const started = Date.parse(recording.run.startedAt);
  if (clock.rows === 0) return (ns) => started + ns / MILLISECOND_NS;
  return (ns) => {
    const row = Math.max(0, lastUpTo(monotonic, ns));
    return (wall[row]! + (ns - monotonic[row]!)) / MILLISECOND_NS;
  };
}
