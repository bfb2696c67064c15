import { CATEGORIES, type Category } from '../../../../analyses/allocations/evidence/reasons.ts';
import type { MapData } from './data.ts';

export type ColorScheme = 'light' | 'dark';

/** Okabe and Ito's colours, as in the other pictures; what nobody knows is grey. */
const LIGHT: Readonly<Record<Category, number>> = {
  parameter: 0x0072b2,
  gradient: 0xe69f00,
  optimizer_state: 0x009e73,
  activation: 0xcc79a7,
  input: 0xf0e442,
  temporary: 0x56b4e9,
  workspace: 0xd55e00,
  unknown: 0x8b93a1,
};

const DARK: Readonly<Record<Category, number>> = {
  ...LIGHT,
  parameter: 0x2f8fd0,
  unknown: 0x7d8694,
};

export const categoryColors = (scheme: ColorScheme) => (scheme === 'dark' ? DARK : LIGHT);

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

/** The colour of a row: its category's, a little lighter or darker by the stack that made it, so that neighbours can be told apart. */
export function rowColors(data: MapData, scheme: ColorScheme): (row: number) => number {
  const colors = categoryColors(scheme);
  const table = Uint32Array.from(
    data.header.reasons.flatMap(({ category }) => {
      const color = colors[category] ?? colors[CATEGORIES.at(-1)!];
      return Array.from({ length: SHADES }, (_, i) => shaded(color, 0.86 + (0.28 * i) / SHADES));
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
