import type { RefObject } from 'preact';
import type { Point } from '../../../views/chart/scene.ts';
import { type Handled, type Pace, type Share, useHands } from '../../hands/use-hands.ts';
import type { Extents } from './messages.ts';
import type { View } from './picture/x-axis.ts';

interface Navigated extends Pick<Handled, 'clear'> {
  readonly canvas: RefObject<HTMLCanvasElement>;
  /** What is on the screen by now: a wheel may turn twice before one drawing. */
  readonly current: RefObject<View>;
  readonly extents: Extents | null;
  readonly plot: { readonly width: number; readonly height: number };
  move(view: View, pace: Pace): void;
  /** In CSS pixels of the plot, from its top left; null: the pointer has left. */
  hover(at: Point | null): void;
  choose(at: Point): void;
  unchoose(): void;
}

/** The map in the same hands as every chart, in two directions: time and bytes. */
export function useNavigation({ canvas, current, extents, plot, move, ...given }: Navigated) {
  const go = (from: View, next: View, pace: Pace): boolean => {
    if (!extents) return false;
    const kept = clamped(next, extents);
    move(kept, pace);
    return ENDS.some((end) => kept[end] !== from[end]);
  };
  return useHands({
    surface: canvas,
    plot: () => ({ x: 0, y: 0, ...plot }),
    zoom: (at, by, pace) => {
      const view = current.current;
      return view !== null && go(view, zoomed(view, at, by), pace);
    },
    grab: () => {
      const view = current.current;
      return (by, pace, zoom) => {
        if (!view) return false;
        const factor = zoom?.factor ?? 1;
        const near = zoom ? zoomed(view, zoom.at, { x: factor, y: 1 }) : view;
        return go(view, panned(near, by.x / factor, by.y), pace);
      };
    },
    select: (from, to) => {
      const view = current.current;
      if (!view) return;
      const wide = view.x1 - view.x0;
      const [left, right] = [Math.min(from, to), Math.max(from, to)];
      go(view, { ...view, x0: view.x0 + left * wide, x1: view.x0 + right * wide }, 'done');
    },
    reset: () => {
      const view = current.current;
      if (view && extents) go(view, wholeOf(extents, view.order, view.axis), 'done');
    },
    hover: given.hover,
    pick: (at) => {
      given.choose(at);
      return given.unchoose;
    },
    clear: given.clear,
  });
}

const ENDS = ['x0', 'x1', 'y0', 'y1'] as const;

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
function zoomed(view: View, at: Share, factor: Share): View {
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
