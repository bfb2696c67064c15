import type { LayoutHeader } from '../../../analyses/allocations/layout.ts';
import type { Columns } from '../../../model/columns.ts';
import { DARK, type Theme } from '../../../views/chart/palette.ts';
import type { Node, Scene } from '../../../views/chart/scene.ts';
import { categoryColors, cssColor, GROUNDS } from '../map/picture/colors.ts';

const HIGH = 20;
/** The smallest segment can still be seen and hit. */
const NARROWEST = 6;

interface Look {
  readonly width: number;
  /** Bytes of the largest segment, which fills the width. */
  readonly most: number;
  readonly theme: Theme;
  readonly chosen: number;
}

/** One segment: live blocks in the colours of their categories, holes as bare ground. */
export function barScene(
  layout: Columns<LayoutHeader>,
  segment: number,
  blocks: readonly number[],
  { width, most, theme, chosen }: Look,
): Scene {
  const { bytes, address } = layout.header.segments[segment]!;
  const ground = theme === DARK ? 'dark' : 'light';
  const colors = categoryColors(ground);
  const wide = Math.max(NARROWEST, (bytes / most) * width);
  const [rows, from, size] = [layout.u32('row'), layout.f64('from'), layout.f64('size')];
  const reasons = layout.u8('reason');
  const held = cssColor(GROUNDS[ground].held);
  const nodes: Node[] = [{ node: 'rect', x: 0, y: 0, width: wide, height: HIGH, fill: held }];
  const scale = wide / bytes;
  for (const i of blocks) {
    const w = size[i]! * scale;
    const isChosen = rows[i] === chosen;
    const { category } = layout.header.reasons[reasons[i]!]!;
    nodes.push({
      node: 'rect',
      x: from[i]! * scale,
      y: 0,
      width: Math.max(0.3, w > 3 ? w - 0.7 : w),
      height: HIGH,
      fill: cssColor(isChosen ? GROUNDS[ground].chosen : colors[category]),
    });
  }
  const title = `Segment ${address}`;
  return { width: wide, height: HIGH, background: theme.background, title, nodes };
}

const LINE = 46;

/** All bars below each other with their words, to be kept as one picture. */
export function segmentsScene(
  bars: readonly { scene: Scene; words: string }[],
  theme: Theme,
): Scene {
  const nodes = bars.flatMap(({ scene, words }, i): Node[] => [
    { node: 'text', x: 0, y: i * LINE + 14, text: words.slice(0, 200), size: 12, fill: theme.ink },
    ...scene.nodes.map(
      (node): Node => (node.node === 'rect' ? { ...node, y: i * LINE + 19 } : node),
    ),
  ]);
  return {
    width: bars.reduce((most, { scene }) => Math.max(most, scene.width), 600),
    height: Math.max(1, bars.length) * LINE,
    background: theme.background,
    title: 'Segments',
    nodes,
  };
}
