import type { Category } from '../../../../analyses/allocations/evidence/reasons.ts';
import { DARK, kindColor, LIGHT } from '../../../../views/chart/palette.ts';
import type { MapData } from './data.ts';

export type ColorScheme = 'light' | 'dark';

/** The palette's own, as a number. */
export const categoryColor = (scheme: ColorScheme, category: Category) =>
  Number.parseInt(kindColor(scheme === 'dark' ? DARK : LIGHT, category).slice(1), 16);

export const cssColor = (color: number) => `#${color.toString(16).padStart(6, '0')}`;

export interface SchemeColors {
  readonly background: number;
  /** Held by the allocator, and free. */
  readonly held: number;
  readonly chosen: number;
}

export const SCHEME_COLORS: Readonly<Record<ColorScheme, SchemeColors>> = {
  light: { background: 0xffffff, held: 0xe6e9ee, chosen: 0x000000 },
  dark: { background: 0x14171c, held: 0x2b3038, chosen: 0xffffff },
};

const SHADES = 7;
/** Away from the ground, so that every shade stands out from it. */
const FURTHEST = { light: -0.15, dark: 0.15 };

/** The colour of a row: its category's, a little shifted by the stack that made it, so that neighbours can be told apart. */
export function rowColors(data: MapData, scheme: ColorScheme): (row: number) => number {
  const by = FURTHEST[scheme];
  const table = Uint32Array.from(
    data.header.reasons.flatMap(({ category }) => {
      const color = categoryColor(scheme, category);
      return Array.from({ length: SHADES }, (_, i) => shaded(color, 1 + (by * i) / (SHADES - 1)));
    }),
  );
  const { reason, stack } = data;
  return (row) =>
    table[reason[row]! * SHADES + ((Math.imul(stack[row]!, 0x9e3779b1) >>> 16) % SHADES)]!;
}

function shaded(color: number, by: number): number {
  const part = (shift: number) => Math.min(255, Math.round(((color >> shift) & 255) * by)) << shift;
  return part(16) | part(8) | part(0);
}
