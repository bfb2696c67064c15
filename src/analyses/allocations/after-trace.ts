import type { Recording } from '../../model/recording.ts';
import { series } from '../../model/series.ts';
import type { Device } from './index.ts';

/** Fewer readings of torch's own counter tell nothing. */
const FEWEST_READINGS = 8;
/** A leak brings all of what its rate foretells; less than this share of it is no longer that growth. */
const SHARE_OF_RATE = 0.25;

/**
 * What grew from step to step in a trace need not go on: a server captures its graphs as it starts, and the trace is of that time when
 * the peak was. Where the run went on for longer than those steps took, and torch's own count of what it has handed out did not
 * rise as they did, the trace no longer says that it leaks.
 */
export function withTimeAfter(recording: Recording, found: readonly Device[]): Device[] {
  return found.map((device) => {
    const { leak, oom } = device;
    if (leak.verdict !== 'leak' || oom || goesOn(recording, device) !== false) return device;
    return { ...device, untilFull: null, leak: { ...leak, verdict: 'unknown' } };
  });
}

/** null where it cannot be told. */
function goesOn(recording: Recording, { device, leak, steps }: Device): boolean | null {
  const ends = (recording.run.snapshots ?? []).filter((one) => one.device === device);
  const allocated = series(recording, `torch${device}.allocated`);
  if (ends.length === 0 || !allocated || steps.medianSeconds === null) return null;
  // Of several snapshots it may be any: after the last of them is after each.
  const from = Math.max(...ends.map(({ ns }) => ns));
  const until = allocated.times.at(-1) ?? from;
  const seconds = (until - from) / 1e9;
  if (seconds < leak.steps * steps.medianSeconds) return null;
  const middle = (from + until) / 2;
  const early = allocated.values.filter((_, row) => {
    const time = allocated.times[row]!;
    return time > from && time <= middle;
  });
  const late = allocated.values.filter((_, row) => allocated.times[row]! > middle);
  if (Math.min(early.length, late.length) < FEWEST_READINGS) return null;
  const rose = Math.min(...late) - Math.min(...early);
  const foretold = (leak.requestedPerStep! / steps.medianSeconds) * (seconds / 2);
  return rose >= SHARE_OF_RATE * foretold;
}
