import type { Theme } from './palette.ts';
import type { Box, Node, Point } from './scene.ts';
import { fitText, textWidth } from './text-width.ts';

/** A peak where it stands in a picture: its ring, and its words beside it. */
export interface PlacedPeak {
  readonly at: Point;
  readonly words: string;
  /** Around the words: where a page takes clicks for it. */
  readonly label: Box;
  readonly ring: Box;
  readonly nodes: readonly Node[];
}

export interface PeakToPlace {
  readonly at: Point;
  readonly words: string;
  /** Of the curve that it is the peak of. */
  readonly color: string;
}

const SIZE = 12;
const RING = 3.8;
const HIGH = SIZE + 5;
/** What words above a peak take, which an axis has to leave free. */
export const PEAK_ROOM = HIGH + RING + 4;
/** A page may be set in a wider font than the one that is measured. */
const ROOM = 1.08;

/** `taken`: boxes that the words must not cover, as long as there is another place. */
export function placePeak(
  { at, words, color }: PeakToPlace,
  plot: Box,
  theme: Theme,
  taken: readonly Box[] = [],
): PlacedPeak {
  const text = shortened(words, plot.width - 8);
  const width = textWidth(text, SIZE, 'semibold') * ROOM + 6;
  const places = placesFor(at, width, plot);
  const label = places.find((box) => !taken.some((other) => overlap(box, other))) ?? places[0]!;
  return {
    at,
    words,
    label,
    ring: { x: at.x - RING - 1, y: at.y - RING - 1, width: 2 * RING + 2, height: 2 * RING + 2 },
    nodes: [
      {
        node: 'circle',
        ...at,
        radius: RING,
        fill: theme.background,
        stroke: { color, width: 2 },
      },
      {
        node: 'text',
        text,
        x: label.x + label.width / 2,
        y: label.y + HIGH - 5,
        size: SIZE,
        weight: 'semibold',
        fill: theme.ink,
        anchor: 'middle',
        halo: theme.background,
      },
    ],
  };
}

/** On a narrow plot without its last clauses, then cut: how high it was always stands. */
function shortened(words: string, width: number): string {
  if (textWidth(words, SIZE, 'semibold') <= width) return words;
  const clauses = words.split(', ');
  while (clauses.length > 1 && textWidth(clauses.join(', '), SIZE, 'semibold') * ROOM > width)
    clauses.pop();
  return fitText(clauses.join(', '), width / ROOM, SIZE, 'semibold');
}

/** Above it, beside it on the side with more room, on the other, below it. */
function placesFor(at: Point, width: number, plot: Box): Box[] {
  const right = plot.x + plot.width;
  const bottom = plot.y + plot.height;
  const box = (x: number, y: number): Box => ({ x, y, width, height: HIGH });
  const across = Math.min(Math.max(at.x - width / 2, plot.x + 2), right - width - 2);
  const sides = [at.x + RING + 5, at.x - width - RING - 5];
  if (at.x - plot.x > right - at.x) sides.reverse();
  const top = Math.max(plot.y + 1, at.y - HIGH / 2);
  const places = [
    ...(at.y - PEAK_ROOM >= plot.y - 2 ? [box(across, at.y - HIGH - RING - 2)] : []),
    ...sides.filter((x) => x >= plot.x && x + width <= right).map((x) => box(x, top)),
    box(across, Math.min(at.y + RING + 4, bottom - HIGH)),
  ];
  return places;
}

const overlap = (a: Box, b: Box) =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
