import type { Panels } from '../../analyses/panels/panel.ts';

export type Range = readonly [low: number, high: number];

/** Narrower than this no reader can want: a nanosecond, or a single event. */
const least = (clock: Panels['clock']) => (clock === 'event' ? 4 : 1e-6);

/** Kept inside of what there is; null where it is all of it. */
export function clamped([low, high]: Range, { span, clock }: Panels): Range | null {
  const whole = span[1] - span[0];
  const wide = Math.min(whole, Math.max(least(clock), high - low));
  if (wide >= whole * 0.9999) return null;
  const from = Math.min(Math.max(low, span[0]), span[1] - wide);
  return [from, from + wide];
}

/** `factor` below 1 comes closer; `at` stays where it is on the screen. */
export function zoomed([low, high]: Range, factor: number, at = (low + high) / 2): Range {
  return [at - (at - low) * factor, at + (high - at) * factor];
}

export function panned([low, high]: Range, share: number): Range {
  const by = (high - low) * share;
  return [low + by, high + by];
}

/** What a key does to the range; undefined where it means nothing here. */
export function byKey(key: string, range: Range, panels: Panels): Range | null | undefined {
  switch (key) {
    case '+':
    case '=':
    case 'ArrowUp':
      return clamped(zoomed(range, 0.7), panels);
    case '-':
    case 'ArrowDown':
      return clamped(zoomed(range, 1 / 0.7), panels);
    case 'ArrowLeft':
      return clamped(panned(range, -0.15), panels);
    case 'ArrowRight':
      return clamped(panned(range, 0.15), panels);
    case '0':
    case 'Home':
      return null;
  }
}
