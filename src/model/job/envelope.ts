import { MILLISECOND_NS } from '../../base/time.ts';
import type { Envelope } from './summary.ts';
import { MOST_WINDOWS } from './summary.ts';

/** The shortest window: below it there is hardly more than one sample. */
const LEAST_WINDOW_MS = 2 ** -4;

/** Some 35 years: a clock that jumps makes no endless search. */
const LONGEST_WINDOW_MS = 2 ** 40;

/** Maxima of a series in windows that begin at the same moments on every machine. */
export interface Windows {
  readonly startMs: number;
  readonly windowMs: number;
  readonly maxima: Float64Array;
}

/** `wallMs`: the moment of a time in ns by the machine's clock. null: there are no values. */
export function windowsOf(
  times: Float64Array,
  values: Float64Array,
  wallMs: (ns: number) => number,
  most = MOST_WINDOWS,
): Windows | null {
  if (times.length === 0) return null;
  // A wall clock that was set back must not cost a maximum: its windows go on.
  const first = wallMs(times[0]!);
  const at = (row: number) => first + (times[row]! - times[0]!) / MILLISECOND_NS;
  const last = at(times.length - 1);
  // Two samples a window, so that hardly any is empty.
  const fewer = Math.max(1, Math.min(most, times.length / 2));
  let windowMs = LEAST_WINDOW_MS;
  const count = () => Math.floor(last / windowMs) - Math.floor(first / windowMs) + 1;
  while (count() > fewer && windowMs < LONGEST_WINDOW_MS) windowMs *= 2;
  const start = Math.floor(first / windowMs);
  const maxima = new Float64Array(count()).fill(Number.NaN);
  for (let row = 0; row < times.length; row++) {
    const value = values[row]!;
    const window = Math.floor(at(row) / windowMs) - start;
    if (!(value <= maxima[window]!) && !Number.isNaN(value)) maxima[window] = value;
  }
  return { startMs: start * windowMs, windowMs, maxima };
}

/** The same with half as many windows. */
export function halved({ startMs, windowMs, maxima }: Windows): Windows {
  const width = windowMs * 2;
  const first = Math.floor(startMs / width);
  const last = Math.floor((startMs + (maxima.length - 1) * windowMs) / width);
  const merged = new Float64Array(last - first + 1).fill(Number.NaN);
  for (const [i, value] of maxima.entries()) {
    const at = Math.floor((startMs + i * windowMs) / width) - first;
    if (!(value <= merged[at]!) && !Number.isNaN(value)) merged[at] = value;
  }
  return { startMs: first * width, windowMs: width, maxima: merged };
}

export function encodeMaxima(maxima: Float64Array): string {
  const bytes = new Uint8Array(maxima.length * 8);
  const view = new DataView(bytes.buffer);
  for (const [i, value] of maxima.entries()) view.setFloat64(i * 8, value, true);
  return btoa(String.fromCharCode(...bytes));
}

/** Never longer than any of ours, whatever the text is; what is no base64 has no values. */
export function decodeMaxima({ maxima }: Pick<Envelope, 'maxima'>): Float64Array {
  let text: string;
  try {
    text = atob(maxima);
  } catch {
    return new Float64Array();
  }
  const count = Math.min(MOST_WINDOWS, Math.floor(text.length / 8));
  const bytes = new Uint8Array(count * 8);
  for (let i = 0; i < bytes.length; i++) bytes[i] = text.charCodeAt(i);
  const view = new DataView(bytes.buffer);
  const values = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    const value = view.getFloat64(i * 8, true);
    // No memory is infinite, or less than none.
    values[i] = Number.isFinite(value) && value >= 0 ? value : Number.NaN;
  }
  return values;
}
