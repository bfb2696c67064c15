import type { PageState } from '../../address.ts';
import type { Range } from '../../timeline/gestures.ts';

/** An address may be typed by anybody: what is no number is not there. */
export function numberIn(text: string | undefined): number | null {
  const value = text === undefined || text.trim() === '' ? Number.NaN : Number(text);
  return Number.isFinite(value) ? value : null;
}

export function rangeIn({ from, to }: PageState): Range | null {
  const [low, high] = [numberIn(from), numberIn(to)];
  return low !== null && high !== null && high > low ? [low, high] : null;
}
