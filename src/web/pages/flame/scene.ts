import { CATEGORIES } from '../../../analyses/allocations/evidence/reasons.ts';
import type { ArrangedFlame } from '../../../analyses/allocations/flame/arranged.ts';
import { ellipsize } from '../../../base/text.ts';
import { ownerOf } from '../../../model/allocations/frame-owner.ts';
import { type Frame, lineName } from '../../../model/allocations/names.ts';
import { byStackOrder } from '../../../model/memory-kinds.ts';
import { DARK, kindColor, mix, type Theme } from '../../../views/chart/palette.ts';
import type { Node, Scene } from '../../../views/chart/scene.ts';
import { textWidth } from '../../../views/chart/text-width.ts';
import type { FlameBox } from './boxes.ts';

export const ROW = 22;
/** Of a box, in the colours of what it is made of. */
const STRIP = 4;
const SIZE = 11.5;

interface Look {
  readonly width: number;
  readonly theme: Theme;
  readonly found: ReadonlySet<number> | null;
  readonly title: string;
}

/** Boxes with their names, and below each what it is made of. */
export function flameScene(flame: ArrangedFlame, boxes: readonly FlameBox[], look: Look): Scene {
  const { width, theme, found } = look;
  const deepest = boxes.reduce((most, { depth }) => Math.max(most, depth), 0);
  const nodes: Node[] = [];
  for (const { node, depth, from, wide } of boxes) {
    const [x, y] = [from * width, depth * ROW];
    const w = Math.max(0.4, wide * width - 1);
    const frame = flame.frames[flame.frame[node]!]!;
    const own = ownerOf(frame) === 'program';
    const faded = found !== null && !found.has(node);
    const fill = faded ? theme.minorGrid : fillOf(flame, node, own, theme);
    nodes.push({ node: 'rect', x, y, width: w, height: ROW - 1, fill });
    if (!faded) nodes.push(...strip(flame, node, x, y + ROW - 1 - STRIP, w, theme));
    const text = label(frame, wide * width - 8);
    if (text === '') continue;
    const ink = faded ? theme.muted : theme.ink;
    const weight = own && !faded ? 'semibold' : 'regular';
    nodes.push({ node: 'text', x: x + 4, y: y + 13, text, size: SIZE, fill: ink, weight });
  }
  return {
    width,
    height: Math.max(ROW, (deepest + 1) * ROW),
    background: theme.background,
    title: look.title,
    nodes,
  };
}

const ORDER = CATEGORIES.map((category, i) => ({ category, i })).sort((a, b) =>
  byStackOrder(a.category, b.category),
);

/** A bar of the box's categories, each as long as its share. */
function strip(
  flame: ArrangedFlame,
  node: number,
  x: number,
  y: number,
  width: number,
  theme: Theme,
): Node[] {
  const parts = ORDER.map(({ category, i }) => ({ category, bytes: flame.mix[i]![node]! })).filter(
    ({ bytes }) => bytes > 0,
  );
  const whole = parts.reduce((sum, { bytes }) => sum + bytes, 0);
  let at = x;
  return parts.map(({ category, bytes }): Node => {
    const wide = (bytes / whole) * width;
    const from = at;
    at += wide;
    const fill = kindColor(theme, category);
    return { node: 'rect', x: from, y, width: wide, height: STRIP, fill };
  });
}

/** Nearly all of one kind: its colour, stronger where it is the program's own line. */
const NEARLY_ALL = 0.95;
const TINT = { own: 0.34, other: 0.14 };

function fillOf(flame: ArrangedFlame, node: number, own: boolean, theme: Theme): string {
  if (flame.beforeBytes) {
    const [after, before] = [flame.bytes[node]!, flame.beforeBytes[node]!];
    return changeColor((after - before) / Math.max(1, after + before), theme);
  }
  const columns = flame.mix.map((column) => column[node]!);
  const most = Math.max(...columns);
  const whole = columns.reduce((sum, bytes) => sum + bytes, 0);
  const color =
    most >= whole * NEARLY_ALL
      ? kindColor(theme, CATEGORIES[columns.indexOf(most)]!)
      : theme.kinds.unknown;
  return mix(theme.background, color, own ? TINT.own : TINT.other);
}

/** From blue (all of it went) over grey (the same) to orange (all of it is new). */
function changeColor(share: number, theme: Theme): string {
  const end = share > 0 ? theme.kinds.gradient : theme.kinds.parameter;
  const by = Math.min(1, Math.abs(share)) ** 0.6;
  return mix(
    mix(theme.background, theme.kinds.unknown, 0.2),
    end,
    by * (theme === DARK ? 0.4 : 0.5),
  );
}

function label({ function: name, file, line }: Frame, wide: number): string {
  // A browser without our font sets wider letters.
  const room = wide / 1.12;
  if (room < 14) return '';
  const place =
    line === 0 || file === '' || file === '??' ? '' : ` ${file.split('/').at(-1)}:${line}`;
  // Of a C++ function, without its arguments.
  const short = name.replaceAll('(anonymous namespace)', '…').replace(/(?<=\w)\(.*$/s, '');
  const cut = short.slice(0, 200);
  const isLine = name === lineName(file, line);
  const tries = [isLine ? cut : `${cut}${place}`, ...(place === '' ? [] : [`${cut} :${line}`])];
  const fits = tries.find((text) => textWidth(text, SIZE, 'semibold') <= room);
  if (fits !== undefined) return fits;
  let letters = Math.min(cut.length, Math.floor(room / (SIZE * 0.4)));
  while (letters > 1 && textWidth(ellipsize(cut, letters), SIZE, 'semibold') > room) letters--;
  return letters > 1 ? ellipsize(cut, letters) : '';
}
