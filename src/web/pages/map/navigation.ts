import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { MarkedStretch } from './axes.tsx';
import type { Extents } from './messages.ts';
import type { View } from './picture/x-axis.ts';

/** In CSS pixels of the plot, from its top left. */
export interface PlotPoint {
  readonly x: number;
  readonly y: number;
}

interface Navigated {
  readonly canvas: RefObject<HTMLCanvasElement>;
  readonly view: View | null;
  readonly extents: Extents | null;
  readonly plot: { readonly width: number; readonly height: number };
  move(view: View): void;
  hover(at: PlotPoint): void;
  leave(): void;
  choose(at: PlotPoint): void;
}

/** A drag shorter than this, in pixels, is a click. */
const LEAST_DRAG = 3;
const WHEEL = 0.0025;

/**
 * Drag to move, with Shift to mark a stretch and zoom to it; the wheel zooms in time, with Alt or
 * Shift in bytes, and sideways it moves; keys do all of it too.
 */
export function useNavigation(navigated: Navigated) {
  const { canvas, view, extents, plot, move } = navigated;
  const [band, setBand] = useState<MarkedStretch | null>(null);
  const drag = useRef<{ from: PlotPoint; view: View; marks: boolean; moved: boolean } | null>(null);
  const placeOf = (event: MouseEvent): PlotPoint => {
    const box = canvas.current!.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };

  const onPointerDown = (event: PointerEvent) => {
    if (event.button !== 0 || !view) return;
    canvas.current!.setPointerCapture(event.pointerId);
    drag.current = { from: placeOf(event), view, marks: event.shiftKey, moved: false };
  };
  const onPointerMove = (event: PointerEvent) => {
    const at = placeOf(event);
    const held = drag.current;
    if (!held) return navigated.hover(at);
    const [dx, dy] = [at.x - held.from.x, at.y - held.from.y];
    if (Math.abs(dx) + Math.abs(dy) > LEAST_DRAG) held.moved = true;
    if (!held.moved) return;
    if (held.marks) setBand({ from: held.from.x, to: at.x });
    else move(panned(held.view, -dx / plot.width, dy / plot.height));
  };
  const onPointerUp = (event: PointerEvent) => {
    const held = drag.current;
    drag.current = null;
    setBand(null);
    if (!held || !view) return;
    const at = placeOf(event);
    if (!held.moved) return navigated.choose(at);
    if (!held.marks) return;
    const [from, to] = [Math.min(held.from.x, at.x), Math.max(held.from.x, at.x)];
    const perPixel = (view.x1 - view.x0) / plot.width;
    move({ ...view, x0: view.x0 + from * perPixel, x1: view.x0 + to * perPixel });
  };
  const onWheel = (event: WheelEvent) => {
    event.preventDefault();
    if (!view) return;
    if (Math.abs(event.deltaX) > Math.abs(event.deltaY) && !event.shiftKey) {
      return move(panned(view, event.deltaX / plot.width, 0));
    }
    // With Shift some browsers turn the wheel sideways.
    const turn = event.deltaY || event.deltaX;
    const factor = Math.exp(Math.max(-120, Math.min(120, turn)) * WHEEL);
    const { x, y } = placeOf(event);
    const upward = event.altKey || event.shiftKey;
    const by = upward ? { x: 1, y: factor } : { x: factor, y: 1 };
    move(zoomed(view, { x: x / plot.width, y: 1 - y / plot.height }, by));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (!view || !extents || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = KEYS[event.key];
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    move(step(view, extents));
  };

  // Preact's wheel listener would be passive in some browsers, and the page would scroll.
  const wheel = useRef(onWheel);
  wheel.current = onWheel;
  useEffect(() => {
    const listen = (event: WheelEvent) => wheel.current(event);
    const element = canvas.current!;
    element.addEventListener('wheel', listen, { passive: false });
    return () => element.removeEventListener('wheel', listen);
  }, []);

  return {
    band,
    isDragging: drag.current !== null,
    handlers: {
      onPointerDown,
      onPointerMove,
      onPointerUp,
      onPointerLeave: navigated.leave,
      onDblClick: () => extents && view && move(wholeOf(extents, view.order, view.axis)),
      onKeyDown,
    },
  };
}

const MIDDLE = { x: 0.5, y: 0.5 };
const NEARER = 0.7;

const KEYS: Readonly<Record<string, (view: View, extents: Extents) => View>> = {
  ArrowLeft: (view) => panned(view, -0.1, 0),
  ArrowRight: (view) => panned(view, 0.1, 0),
  ArrowUp: (view) => panned(view, 0, 0.1),
  ArrowDown: (view) => panned(view, 0, -0.1),
  '+': (view) => zoomed(view, MIDDLE, { x: NEARER, y: 1 }),
  '=': (view) => zoomed(view, MIDDLE, { x: NEARER, y: 1 }),
  '-': (view) => zoomed(view, MIDDLE, { x: 1 / NEARER, y: 1 }),
  ']': (view) => zoomed(view, MIDDLE, { x: 1, y: NEARER }),
  '[': (view) => zoomed(view, MIDDLE, { x: 1, y: 1 / NEARER }),
  '0': (view, extents) => wholeOf(extents, view.order, view.axis),
};

const rightEnd = (extents: Extents, axis: View['axis']) =>
  axis === 'time' ? extents.micros : extents.events;

/** A little room above the stack, so that its top can be told from the edge. */
const upperEnd = (extents: Extents, order: View['order']) =>
  Math.max(1, order === 'address' ? extents.addressBytes : extents.stackedBytes * 1.04);

/** All of it. */
export function wholeOf(extents: Extents, order: View['order'], axis: View['axis']): View {
  return {
    ...{ order, axis, x0: 0, y0: 0 },
    x1: rightEnd(extents, axis),
    y1: upperEnd(extents, order),
  };
}

/** `x` and `y` (0 to 1, from the lower left) stay where they are; factors below 1 go nearer. */
function zoomed(view: View, at: { x: number; y: number }, factor: { x: number; y: number }): View {
  const [x, wide] = [view.x0 + at.x * (view.x1 - view.x0), (view.x1 - view.x0) * factor.x];
  const [y, high] = [view.y0 + at.y * (view.y1 - view.y0), (view.y1 - view.y0) * factor.y];
  return {
    ...view,
    x0: x - at.x * wide,
    x1: x + (1 - at.x) * wide,
    y0: y - at.y * high,
    y1: y + (1 - at.y) * high,
  };
}

/** By shares of what is seen. */
function panned(view: View, x: number, y: number): View {
  const [dx, dy] = [x * (view.x1 - view.x0), y * (view.y1 - view.y0)];
  return { ...view, x0: view.x0 + dx, x1: view.x1 + dx, y0: view.y0 + dy, y1: view.y1 + dy };
}

/** Nearest: eight events, µs or bytes from edge to edge. */
const NEAREST = 8;

/** Never beyond the ends, and never nearer than makes sense. */
export function clamped(view: View, extents: Extents): View {
  const [x0, x1] = within(view.x0, view.x1, rightEnd(extents, view.axis));
  const [y0, y1] = within(view.y0, view.y1, upperEnd(extents, view.order));
  return { ...view, x0, x1, y0, y1 };
}

function within(from: number, to: number, end: number): [number, number] {
  const span = Math.min(end, Math.max(Math.min(NEAREST, end), to - from));
  const middle = (from + to) / 2;
  const start = Math.max(0, Math.min(end - span, middle - span / 2));
  return [start, start + span];
}
