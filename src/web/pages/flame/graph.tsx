import { useMemo, useRef, useState } from 'preact/hooks';
import type { ArrangedFlame } from '../../../analyses/allocations/flame/arranged.ts';
import type { Flame } from '../../../analyses/allocations/flame/index.ts';
import { formatBytes, formatDelta } from '../../../base/bytes.ts';
import { count } from '../../../base/text.ts';
import { SaveScene } from '../../parts/save-scene.tsx';
import { SceneView } from '../../parts/scene-view.tsx';
import { theme } from '../../theme.ts';
import { callersOf, type FlameBox, flameBoxes, weightOf } from './boxes.ts';
import { mixWords } from './legend.tsx';
import { flameScene, ROW } from './scene.ts';

interface Props {
  readonly flame: ArrangedFlame;
  readonly width: number;
  readonly focus: number;
  readonly chosen: number;
  readonly found: ReadonlySet<number> | null;
  readonly title: string;
  readonly name: string;
  onFocus(node: number): void;
  onChoose(node: number): void;
}

/** Boxes below each other, as wide as their bytes, the widest to the left. A click chooses, a double click zooms. */
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
  const wheel = useRef({ turned: 0, at: 0 });
  const onWheel = (event: WheelEvent) => {
    const inwards = event.deltaY < 0;
    const next = inwards ? innerOf(flame, boxes, boxAt(event)?.node ?? -1) : outerOf(flame, focus);
    // Nothing further that way: the page scrolls.
    if (next === null || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    if (event.timeStamp - wheel.current.at > WHEEL_REST_MS) wheel.current.turned = 0;
    const turned = wheel.current.turned + event.deltaY;
    const far = Math.abs(turned) >= WHEEL_STEP;
    wheel.current = { turned: far ? 0 : turned, at: event.timeStamp };
    if (far) props.onFocus(next);
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const next = stepFrom(flame, boxes, chosen, event.key);
    const outer = /^[sS-]$/.test(event.key) ? outerOf(flame, focus) : null;
    if (/^(Enter|[wW+])$/.test(event.key) && chosen >= 0) props.onFocus(chosen);
    else if (outer !== null) props.onFocus(outer);
    else if (event.key === 'Escape' && chosen >= 0) props.onChoose(-1);
    else if (/^(Escape|0|Home)$/.test(event.key)) props.onFocus(-1);
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
        aria-label={`${title}. Arrow keys go from frame to frame, Enter or W zooms in, S out, Escape shows all.`}
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
        onWheel={onWheel}
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

/** A notch of a wheel is about this many pixels; a touchpad turns in many small steps. */
const WHEEL_STEP = 60;
const WHEEL_REST_MS = 300;

/** The outermost box over `node` that does not fill the width yet; null where there is none. */
function innerOf(flame: Flame, boxes: readonly FlameBox[], node: number): number | null {
  const wide = new Map(boxes.map((box) => [box.node, box.wide]));
  return callersOf(flame, node).find((one) => (wide.get(one) ?? 1) < 0.999) ?? null;
}

/** The nearest caller that is wider, -1 for all; null where all is shown. */
function outerOf(flame: Flame, focus: number): number | null {
  if (focus < 0) return null;
  const own = weightOf(flame, focus);
  const wider = callersOf(flame, focus).findLast((one) => weightOf(flame, one) > own * 1.001);
  return wider ?? -1;
}

/** Of a stack, those nearest to the box. */
const TIP_FRAMES = 9;

interface TipProps {
  readonly flame: ArrangedFlame;
  readonly node: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

/** The box under the pointer: its size, what it is made of, and the boxes above it. */
function Tip({ flame, node, x, y, width }: TipProps) {
  const side = x > width / 2 ? { right: `${width - x + 12}px` } : { left: `${x + 12}px` };
  const stack = callersOf(flame, node).reverse();
  const hidden = stack.length - TIP_FRAMES;
  return (
    <div class="map-tip flame-tip" style={{ ...side, top: `${y + 16}px` }}>
      <strong>{sizeWords(flame, node)}</strong>
      <div>{mixWords(flame, node)}</div>
      <ol>
        {stack.slice(0, TIP_FRAMES).map((one) => {
          const { function: name, file, line } = flame.frames[flame.frame[one]!]!;
          const place = file === '' || file === '??' ? '' : file.split('/').slice(-2).join('/');
          return (
            <li key={one}>
              <bdi>{name.slice(0, 120)}</bdi>
              {place !== '' && (
                <bdi class="muted">{` ${place.slice(-90)}${line > 0 ? `:${line}` : ''}`}</bdi>
              )}
            </li>
          );
        })}
        {hidden > 0 && <li class="muted">{`and ${count(hidden, 'more frame')}`}</li>}
      </ol>
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
    case 'a':
    case 'ArrowLeft':
      return beside[place - 1]?.node ?? null;
    case 'd':
    case 'ArrowRight':
      return beside[place + 1]?.node ?? null;
    default:
      return null;
  }
}
