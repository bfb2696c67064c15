import type { Flame } from '../../../analyses/allocations/flame/index.ts';
import { ellipsize } from '../../../base/text.ts';
import type { Frame } from '../../../model/allocations/names.ts';
import { DARK, type Theme } from '../../../views/chart/palette.ts';
import type { Node, Scene } from '../../../views/chart/scene.ts';
import { textWidth } from '../../../views/chart/text-width.ts';
import type { FlameBox } from './boxes.ts';

export const ROW = 19;
const SIZE = 11.5;

/** Own code stands out from what libraries do for it; in a comparison colour says grown or shrunk. */
const OWN = { light: ['#f3c98b', '#edb763', '#f5d6a8'], dark: ['#7a5518', '#8d651f', '#6b4a15'] };
const LIBRARY = {
  light: ['#c9dcec', '#b8d0e5', '#d6e5f1'],
  dark: ['#2c4257', '#34506a', '#273b4e'],
};

export function flameScene(
  flame: Flame,
  boxes: readonly FlameBox[],
  look: { width: number; theme: Theme; found: ReadonlySet<number> | null; title: string },
): Scene {
  const { width, theme, found } = look;
  const deepest = boxes.reduce((most, { depth }) => Math.max(most, depth), 0);
  const nodes: Node[] = [];
  for (const { node, depth, from, wide } of boxes) {
    const [x, y, w] = [from * width, depth * ROW, wide * width];
    const frame = flame.frames[flame.frame[node]!]!;
    const faded = found !== null && !found.has(node);
    const fill = faded ? theme.grid : colorOf(flame, node, frame, theme);
    nodes.push({ node: 'rect', x, y, width: Math.max(0.4, w - 1), height: ROW - 1, fill });
    const text = label(frame, w - 8);
    if (text === '') continue;
    const ink = faded ? theme.muted : theme.ink;
    nodes.push({ node: 'text', x: x + 4, y: y + 13.5, text, size: SIZE, fill: ink });
  }
  return {
    width,
    height: Math.max(ROW, (deepest + 1) * ROW),
    background: theme.background,
    title: look.title,
    nodes,
  };
}

function label({ function: name, file, line }: Frame, wide: number): string {
  // A browser without our font sets wider letters.
  const room = wide / 1.12;
  if (room < 14) return '';
  const place =
    file === '' || file === '??' ? '' : ` ${file.split('/').at(-1)}${line > 0 ? `:${line}` : ''}`;
  // Of a C++ function, without its arguments.
  const short = name.replaceAll('(anonymous namespace)', '…').replace(/\(.*$/s, '').slice(0, 200);
  const whole = `${short}${place}`;
  if (textWidth(whole, SIZE) <= room) return whole;
  let letters = Math.min(short.length, Math.floor(room / (SIZE * 0.4)));
  while (letters > 1 && textWidth(ellipsize(short, letters), SIZE) > room) letters--;
  return letters > 1 ? ellipsize(short, letters) : '';
}

function colorOf(flame: Flame, node: number, frame: Frame, theme: Theme): string {
  const dark = theme === DARK;
  if (flame.beforeBytes) {
    const [after, before] = [flame.bytes[node]!, flame.beforeBytes[node]!];
    return changeColor((after - before) / Math.max(1, after + before), dark);
  }
  const own =
    /\.py$/.test(frame.file) && !/site-packages|dist-packages|lib\/python3/.test(frame.file);
  const shades = (own ? OWN : LIBRARY)[dark ? 'dark' : 'light'];
  let hash = 0;
  for (const letter of frame.function.slice(0, 60)) hash = (hash * 31 + letter.charCodeAt(0)) >>> 0;
  return shades[hash % shades.length]!;
}

/** From blue (all of it went) over grey (the same) to orange (all of it is new). */
function changeColor(share: number, dark: boolean): string {
  const middle = dark ? [58, 63, 72] : [226, 229, 234];
  const end = share > 0 ? [230, 140, 20] : [40, 125, 190];
  const by = Math.min(1, Math.abs(share)) ** 0.6;
  const part = (i: number) =>
    Math.round(middle[i]! + (end[i]! - middle[i]!) * by * (dark ? 0.75 : 0.85));
  return `rgb(${part(0)},${part(1)},${part(2)})`;
}
