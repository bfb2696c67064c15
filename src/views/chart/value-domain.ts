import { MiB } from '../../base/bytes.ts';
import type { Domain } from './axes.ts';

export interface ValueDomain extends Domain {
  readonly zeroBased: boolean;
}

/** A change smaller than this share of the level is noise and must look like noise. */
const LEAST_SHARE = 0.01;
/** From this share on, the level itself is part of the story and the axis starts at zero. */
const ZERO_SHARE = 0.35;

/**
 * The range of a value axis. Large changes are seen against zero. Small ones on a high level (a
 * leak of 60 MiB on a machine that uses 2.5 GiB) are zoomed in on, but never so far that jitter
 * of a tenth of a MiB fills the picture.
 */
export function valueDomain(min: number, max: number, noise = MiB): ValueDomain {
  if (!(max >= min)) return { low: 0, high: 1, zeroBased: true };
  if (min <= 0 || max - min >= ZERO_SHARE * max) {
    return { low: Math.min(0, min), high: max > 0 ? max : 1, zeroBased: min >= 0 };
  }
  const least = Math.max(LEAST_SHARE * max, 8 * noise);
  if (least >= ZERO_SHARE * max) return { low: 0, high: Math.max(max, least), zeroBased: true };
  const missing = Math.max(0, least - (max - min)) / 2;
  return { low: min - missing, high: max + missing, zeroBased: false };
}

/** Room above for the label of the peak, and below so that a low line does not touch the axis. */
export function padded(domain: ValueDomain, above: number, below: number): ValueDomain {
  const span = domain.high - domain.low;
  return {
    ...domain,
    high: domain.high + span * above,
    low: domain.zeroBased ? domain.low : domain.low - span * below,
  };
}
