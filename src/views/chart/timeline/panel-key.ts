import { ellipsize } from '../../../base/text.ts';
import type { KeyEntry } from '../legend.ts';
import { textWidth } from '../lettering.ts';
import type { Theme } from '../palette.ts';
import type { Box, Node } from '../scene.ts';

const SIZE = 12;
const LONGEST = 48;
/** A page may be set in a wider font than the one that is measured. */
const ROOM = 1.15;

/** A panel's title, and what its colours mean beside it, as far as there is room. */
export function panelKey(
  title: string,
  parts: readonly KeyEntry[],
  box: Box,
  theme: Theme,
): { nodes: Node[]; entries: KeyEntry[] } {
  const base = box.y - 8;
  const nodes: Node[] = [
    { node: 'text', text: title, x: box.x, y: base, size: 13, fill: theme.ink, weight: 'semibold' },
  ];
  let at = box.x + textWidth(title, 13, 'semibold') * ROOM + 16;
  const right = box.x + box.width;
  const entries = parts.map(({ label, color }) => ({ label, color }));
  for (const [i, { label, color }] of entries.entries()) {
    const text = ellipsize(label, LONGEST);
    const wide = 16 + textWidth(text, SIZE) * ROOM + 12;
    const rest = entries.length - i;
    if (at + wide > right - (rest > 1 ? 60 : 0)) {
      nodes.push({
        node: 'text',
        text: `+ ${rest} more`,
        x: at,
        y: base,
        size: SIZE,
        fill: theme.muted,
      });
      break;
    }
    nodes.push(
      { node: 'rect', x: at, y: base - 9, width: 10, height: 10, fill: color },
      { node: 'text', text, x: at + 15, y: base, size: SIZE, fill: theme.muted },
    );
    at += wide;
  }
  return { nodes, entries };
}
