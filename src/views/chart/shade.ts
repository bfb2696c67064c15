import type { Theme } from './palette.ts';

/** What is mixed into the plain colours once all are used, and how much of it. */
const TONES = [
  ['background', 0],
  ['background', 0.42],
  ['background', 0.68],
  ['ink', 0.45],
] as const;

/** A colour of its own for each of twenty-eight things, then again. */
export function shade(theme: Theme, place: number): string {
  const colors = theme.series.length;
  const [other, share] = TONES[Math.floor(place / colors) % TONES.length]!;
  return mix(theme.series[place % colors]!, theme[other], share);
}

function mix(color: string, ground: string, share: number): string {
  const part = (hex: string, i: number) => Number.parseInt(hex.slice(1 + 2 * i, 3 + 2 * i), 16);
  const parts = [0, 1, 2].map((i) =>
    Math.round(part(color, i) * (1 - share) + part(ground, i) * share),
  );
  return `#${parts.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}
