export type Range = readonly [low: number, high: number];

/** All that can be looked at, and how near one may come. */
export interface RangeLimits {
  readonly whole: Range;
  readonly least: number;
}

/** Kept inside of what there is; null where it is all of it. */
export function clamped([low, high]: Range, { whole, least }: RangeLimits): Range | null {
  const all = whole[1] - whole[0];
  const wide = Math.min(all, Math.max(least, high - low));
  if (wide >= all * 0.9999) return null;
  const from = Math.min(Math.max(low, whole[0]), whole[1] - wide);
  return [from, from + wide];
}

/** `factor` below 1 comes closer; what is at a share of the width stays there. */
export function zoomed([low, high]: Range, factor: number, share: number): Range {
  const at = low + share * (high - low);
  return [at - (at - low) * factor, at + (high - at) * factor];
}

export function panned([low, high]: Range, share: number): Range {
  const by = (high - low) * share;
  return [low + by, high + by];
}

/** The part between two shares of the width. */
export function partOf([low, high]: Range, from: number, to: number): Range {
  const [left, right] = [Math.min(from, to), Math.max(from, to)];
  return [low + left * (high - low), low + right * (high - low)];
}

/** An address may be typed by anybody: what is no number is not there. */
export function numberIn(text: string | undefined): number | null {
  const value = text === undefined || text.trim() === '' ? Number.NaN : Number(text);
  return Number.isFinite(value) ? value : null;
}

/** The part that an address names as `from` and `to`. */
export function rangeIn({ from, to }: Readonly<Record<string, string>>): Range | null {
  const [low, high] = [numberIn(from), numberIn(to)];
  return low !== null && high !== null && high > low ? [low, high] : null;
}
