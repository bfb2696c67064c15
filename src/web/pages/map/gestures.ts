import type { Extents } from './messages.ts';
import type { View } from './picture/across.ts';

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
export function zoomed(
  view: View,
  at: { x: number; y: number },
  factor: { x: number; y: number },
): View {
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
export function panned(view: View, x: number, y: number): View {
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
