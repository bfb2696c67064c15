import { firstFrom, lastUpTo } from '../../base/search.ts';
import type { PanelWindow } from './panel.ts';
import { indexFrom, type PanelCurve, xAt } from './panel-curve.ts';

/** Fewer than these are told apart event by event, whatever the picture. */
const FEWEST = 16;
/** About as many as a picture has columns. */
const MOST = 1200;

/** Samples that stand for steps, all of them rows of the same curve. */
export interface EnvelopeRows {
  /** Where each begins, and at last where the last of them ends. */
  readonly x: Float64Array;
  /** At which it was highest. */
  readonly peaks: Uint32Array;
  /** Its last one. */
  readonly ends: Uint32Array;
}

/** `starts`: first rows of the steps, rising. null where a window has too few of them. */
export function envelopeRows(
  curve: PanelCurve,
  starts: Uint32Array,
  { low, high }: PanelWindow,
): EnvelopeRows | null {
  const rows = curve.y.length;
  const first = Math.max(0, lastUpTo(starts, indexFrom(curve, low)));
  const last = firstFrom(starts, Math.min(rows, indexFrom(curve, high) + 1));
  const count = last - first;
  if (count < FEWEST) return null;
  const each = Math.ceil(count / MOST);
  const groups = Math.ceil(count / each);
  const x = new Float64Array(groups + 1);
  const peaks = new Uint32Array(groups);
  const ends = new Uint32Array(groups);
  for (let group = 0; group < groups; group++) {
    const from = starts[first + group * each]!;
    const next = first + Math.min(count, (group + 1) * each);
    const to = next < starts.length ? starts[next]! : rows;
    x[group] = xAt(curve, from);
    x[group + 1] = xAt(curve, Math.min(to, rows - 1));
    peaks[group] = curve.pyramid.extremes(from, to).highest;
    ends[group] = to - 1;
  }
  return { x, peaks, ends };
}

/** First events of stretches that cover a trace: its steps, what came before the first and after the last. */
export function stretchStarts(
  { count, start, end }: { count: number; start: Int32Array; end: Int32Array },
  events: number,
): Uint32Array {
  if (count === 0) return new Uint32Array();
  const tail = end[count - 1]!;
  const all = [0, ...start.subarray(0, count), ...(tail < events ? [tail] : [])];
  return Uint32Array.from(new Set(all.filter((event) => event < events))).sort();
}
