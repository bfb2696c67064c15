import { useMemo, useState } from 'preact/hooks';
import type { Flame } from '../../../analyses/allocations/flame/index.ts';
import { formatBytes, formatDelta } from '../../../base/bytes.ts';
import { ellipsize } from '../../../base/text.ts';
import type { Frame } from '../../../model/allocations/names.ts';
import { DARK, type Theme } from '../../../views/chart/palette.ts';
import type { Node, Scene } from '../../../views/chart/scene.ts';
import { textWidth } from '../../../views/chart/text-width.ts';
import { SaveScene } from '../../parts/save-scene.tsx';
import { SceneView } from '../../parts/scene-view.tsx';
import { theme } from '../../theme.ts';
import { callersOf, type FlameBox, flameBoxes, weightOf } from './boxes.ts';

interface Props {
  readonly flame: Flame;
  readonly width: number;
  readonly focus: number;
  readonly chosen: number;
  readonly found: ReadonlySet<number> | null;
  readonly title: string;
  readonly name: string;
  onFocus(node: number): void;
  onChoose(node: number): void;
}

/** Callers above, those they call below, as wide as their bytes. A click chooses, a second one zooms. */
export function FlameGraph(props: Props) {
  const { flame, width, focus, chosen, found, title } = props;
  const [over, setOver] = useState<{ node: number; x: number; y: number } | null>(null);
  const look = theme.value;
  const boxes = useMemo(() => flameBoxes(flame, focus, 0.4 / width), [flame, focus, width]);
  const scene = useMemo(
    () => flameScene(flame, boxes, { width, theme: look, found, title }),
    [flame, boxes, width, look, found, title],
  );
  const boxAt = (event: MouseEvent): FlameBox | undefined => {
    const place = (event.currentTarget as Element).getBoundingClientRect();
    const x = (event.clientX - place.left) / width;
    const depth = Math.floor((event.clientY - place.top) / ROW);
    return boxes.find((box) => box.depth === depth && x >= box.from && x < box.from + box.wide);
  };
  const onMove = (event: PointerEvent) => {
    const box = boxAt(event);
    const place = (event.currentTarget as Element).getBoundingClientRect();
    setOver(
      box ? { node: box.node, x: event.clientX - place.left, y: event.clientY - place.top } : null,
    );
  };
  const onKey = (event: KeyboardEvent) => {
    const next = stepFrom(flame, boxes, chosen, event.key);
    if (event.key === 'Enter' && chosen >= 0) props.onFocus(chosen);
    else if (event.key === 'Escape') props.onFocus(-1);
    else if (next !== null) props.onChoose(next);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const marked = boxes.find(({ node }) => node === chosen);
  return (
    <div class="flame-graph">
      <div
        class="flame-surface"
        role="application"
        aria-label={`${title}. Arrow keys go from frame to frame, Enter zooms, Escape shows all.`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keys go through the frames
        tabIndex={0}
        onPointerMove={onMove}
        onPointerLeave={() => setOver(null)}
        onClick={(event) => {
          const box = boxAt(event);
          if (box) props.onChoose(box.node);
        }}
        onDblClick={(event) => props.onFocus(boxAt(event)?.node ?? -1)}
        onKeyDown={onKey}
      >
        <SceneView scene={scene}>
          {marked && (
            <rect
              x={marked.from * width}
              y={marked.depth * ROW}
              width={Math.max(2, marked.wide * width - 1)}
              height={ROW - 1}
              fill="none"
              stroke={look.ink}
              stroke-width={2}
            />
          )}
        </SceneView>
        {over && <Tip flame={flame} {...over} width={width} />}
      </div>
      <SaveScene scene={scene} name={props.name} />
    </div>
  );
}

function Tip({
  flame,
  node,
  x,
  y,
  width,
}: {
  flame: Flame;
  node: number;
  x: number;
  y: number;
  width: number;
}) {
  const frame = flame.frames[flame.frame[node]!]!;
  const side = x > width / 2 ? { right: `${width - x + 12}px` } : { left: `${x + 12}px` };
  return (
    <div class="map-tip" style={{ ...side, top: `${y + 16}px` }}>
      <strong>{sizeWords(flame, node)}</strong>
      <div>
        <bdi>{frame.function.slice(0, 300)}</bdi>
      </div>
      {frame.file !== '' && (
        <div class="muted">
          {frame.file.slice(-200)}
          {frame.line > 0 && `:${frame.line}`}
        </div>
      )}
    </div>
  );
}

/** `1.20 GiB, 34.1 % of all, 120 allocations`, or in a comparison the change. */
export function sizeWords(flame: Flame, node: number): string {
  const [bytes, before] = [flame.bytes[node]!, flame.beforeBytes?.[node]];
  if (before !== undefined) {
    return `${formatDelta(bytes - before)}: ${formatBytes(before)} before, ${formatBytes(bytes)} now`;
  }
  const share = ((100 * bytes) / Math.max(1, flame.totalBytes)).toFixed(1);
  const many = flame.allocations[node]!.toLocaleString('en');
  return `${formatBytes(bytes)}, ${share} % of all, ${many} allocations`;
}

function stepFrom(
  flame: Flame,
  boxes: readonly FlameBox[],
  chosen: number,
  key: string,
): number | null {
  const at = boxes.find(({ node }) => node === chosen);
  const isArrow = /^Arrow/.test(key);
  if (!at) return isArrow ? (boxes[0]?.node ?? null) : null;
  const beside = boxes.filter(({ depth }) => depth === at.depth).sort((a, b) => a.from - b.from);
  const place = beside.indexOf(at);
  switch (key) {
    case 'ArrowUp':
      return callersOf(flame, chosen).at(-2) ?? null;
    case 'ArrowDown': {
      const below = boxes.filter(({ node }) => flame.parent[node] === chosen);
      return (
        below.sort((a, b) => weightOf(flame, b.node) - weightOf(flame, a.node))[0]?.node ?? null
      );
    }
    case 'ArrowLeft':
      return beside[place - 1]?.node ?? null;
    case 'ArrowRight':
      return beside[place + 1]?.node ?? null;
    default:
      return null;
  }
}

const ROW = 19;
const SIZE = 11.5;

/** Own code stands out from what libraries do for it; in a comparison colour says grown or shrunk. */
const OWN = { light: ['#f3c98b', '#edb763', '#f5d6a8'], dark: ['#7a5518', '#8d651f', '#6b4a15'] };
const LIBRARY = {
  light: ['#c9dcec', '#b8d0e5', '#d6e5f1'],
  dark: ['#2c4257', '#34506a', '#273b4e'],
};

function flameScene(
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
