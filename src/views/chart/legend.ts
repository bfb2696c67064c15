import type { Theme } from './palette.ts';
import type { Node } from './scene.ts';
import { textWidth } from './text-width.ts';

/** What a colour stands for. */
export interface KeyEntry {
  readonly label: string;
  readonly color: string;
}

const SIZE = 12.5;
const SWATCH = 18;
const GAP = 7;
const BETWEEN = 26;
export const LEGEND_LINE = 20;

/** Items in as many rows as the width asks for; `lines` tells the room they take. */
export function legend(
  items: readonly KeyEntry[],
  x: number,
  y: number,
  width: number,
  points: boolean,
  theme: Theme,
): { nodes: Node[]; lines: number } {
  const nodes: Node[] = [];
  let [left, line] = [0, 0];
  for (const { label, color } of items) {
    const needed = SWATCH + GAP + textWidth(label, SIZE);
    if (left > 0 && left + needed > width) {
      left = 0;
      line++;
    }
    const [atX, atY] = [x + left, y + line * LEGEND_LINE];
    nodes.push(
      points
        ? { node: 'circle', x: atX + SWATCH / 2, y: atY - 4.5, radius: 3, fill: color }
        : {
            node: 'line',
            from: { x: atX, y: atY - 4.5 },
            to: { x: atX + SWATCH, y: atY - 4.5 },
            stroke: { color, width: 2.5 },
          },
      { node: 'text', x: atX + SWATCH + GAP, y: atY, text: label, size: SIZE, fill: theme.ink },
    );
    left += needed + BETWEEN;
  }
  return { nodes, lines: items.length === 0 ? 0 : line + 1 };
}
