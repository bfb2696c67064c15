import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Box, Point } from '../../views/chart/scene.ts';
import { type KeyAction, keyAction } from './keys.ts';

/** A place in a plot, from its lower left: both 0 to 1. */
export interface Share {
  readonly x: number;
  readonly y: number;
}

/** How a view came to be: step by step, on the way to something, or at once. */
export type Pace = 'moving' | 'done';

/** What a chart does when it is handled. */
export interface Handled {
  readonly surface: RefObject<HTMLElement>;
  /** Where the data are, in pixels of the surface. */
  plot(): Box;
  /** Factors below 1 go nearer; `at` stays where it is. false: there is nothing to change. */
  zoom(at: Share, by: Share, pace: Pace): boolean;
  /** By shares of what is seen, beginning with what is seen now; false: there is nothing to move. */
  grab(): (
    by: Share,
    pace: Pace,
    zoom?: { readonly at: Share; readonly factor: number },
  ) => boolean;
  /** Between two shares of the width. */
  select(from: number, to: number): void;
  /** Shows all of it. */
  reset(): void;
  /** Takes away what is chosen; false: nothing is. */
  clear?(): boolean;
  /** A click; what it returns takes it back, as the first click of two was none. */
  pick?(at: Point): (() => void) | undefined;
  hover?(at: Point | null): void;
}

/** A stretch that is being drawn over, in pixels of the surface. */
export interface DrawnStretch {
  readonly from: number;
  readonly to: number;
}

/** A drag shorter than this, in pixels, is a click. */
const LEAST_DRAG = 4;
/** Two clicks within so many milliseconds are one double click. */
const DOUBLE_MS = 400;
/** How long a wheel that has come to the end of a zoom still turns for the chart, not for the page. */
const SWALLOW_MS = 250;
const WHEEL = 0.0025;
/** Pixels that a turn of a wheel told in lines is. */
const LINE_PX = 33;
const FASTEST = 120;
const NEARER = 0.7;
const STEP = 0.12;

interface Drag {
  readonly from: Point;
  readonly selects: boolean;
  readonly move: ReturnType<Handled['grab']>;
  moved: boolean;
}

interface Pinch {
  readonly middle: Point;
  readonly apart: number;
  readonly move: ReturnType<Handled['grab']>;
}

/**
 * The same hands for every chart: the wheel zooms at the pointer, a drag moves, shift and a drag
 * select, two fingers do both, a double click shows all, and keys do it without a pointer.
 */
export function useHands(handled: Handled) {
  const [band, setBand] = useState<DrawnStretch | null>(null);
  const drag = useRef<Drag | null>(null);
  const fingers = useRef(new Map<number, Point>());
  const pinch = useRef<Pinch | null>(null);
  const picked = useRef<{ time: number; at: Point; undo: (() => void) | undefined } | null>(null);
  const lastTurn = useRef(Number.NEGATIVE_INFINITY);

  const placeOf = (event: MouseEvent): Point => {
    const { left, top } = handled.surface.current!.getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top };
  };
  const within = ({ x, y }: Point): Point => {
    const box = handled.plot();
    return {
      x: Math.min(Math.max(x, box.x), box.x + box.width),
      y: Math.min(Math.max(y, box.y), box.y + box.height),
    };
  };
  const shareOf = (at: Point): Share => {
    const box = handled.plot();
    return { x: (at.x - box.x) / box.width, y: 1 - (at.y - box.y) / box.height };
  };
  /** How far a point was moved, as what lies under it should move. */
  const moveOf = (from: Point, to: Point): Share => {
    const { width, height } = handled.plot();
    return { x: (from.x - to.x) / width, y: (to.y - from.y) / height };
  };
  const twoFingers = () => {
    const [a, b] = [...fingers.current.values()];
    if (!a || !b) return null;
    return {
      middle: { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 },
      apart: Math.max(8, Math.hypot(a.x - b.x, a.y - b.y)),
    };
  };
  const letGo = () => {
    drag.current = null;
    pinch.current = null;
    setBand(null);
  };

  const onPointerDown = (event: PointerEvent) => {
    if (event.button !== 0) return;
    const at = placeOf(event);
    handled.surface.current!.setPointerCapture(event.pointerId);
    if (event.pointerType === 'touch') {
      fingers.current.set(event.pointerId, at);
      const two = twoFingers();
      if (two) {
        letGo();
        pinch.current = { ...two, move: handled.grab() };
        return;
      }
    }
    drag.current = { from: at, selects: event.shiftKey, move: handled.grab(), moved: false };
  };
  const onPointerMove = (event: PointerEvent) => {
    const at = placeOf(event);
    if (fingers.current.has(event.pointerId)) fingers.current.set(event.pointerId, at);
    const [held, pinched, two] = [drag.current, pinch.current, twoFingers()];
    if (pinched && two) {
      const zoom = { at: shareOf(pinched.middle), factor: pinched.apart / two.apart };
      pinched.move(moveOf(pinched.middle, two.middle), 'moving', zoom);
      return;
    }
    handled.hover?.(within(at));
    if (!held) return;
    if (Math.hypot(at.x - held.from.x, at.y - held.from.y) > LEAST_DRAG) held.moved = true;
    if (!held.moved) return;
    if (held.selects) setBand({ from: within(held.from).x, to: within(at).x });
    else held.move(moveOf(held.from, at), 'moving');
  };
  const onPointerUp = (event: PointerEvent) => {
    const at = placeOf(event);
    const [held, pinched, two] = [drag.current, pinch.current, twoFingers()];
    fingers.current.delete(event.pointerId);
    letGo();
    if (pinched && two) {
      const zoom = { at: shareOf(pinched.middle), factor: pinched.apart / two.apart };
      pinched.move(moveOf(pinched.middle, two.middle), 'done', zoom);
      return;
    }
    if (!held) return;
    if (!held.moved) return click(within(at), event.timeStamp);
    if (!held.selects) held.move(moveOf(held.from, at), 'done');
    else handled.select(shareOf(within(held.from)).x, shareOf(within(at)).x);
  };
  const click = (at: Point, time: number) => {
    const last = picked.current;
    if (last && time - last.time < DOUBLE_MS && Math.abs(at.x - last.at.x) < LEAST_DRAG) return;
    picked.current = { time, at, undo: handled.pick?.(at) };
  };
  const onDblClick = () => {
    picked.current?.undo?.();
    picked.current = null;
    handled.reset();
  };

  const onWheel = (event: WheelEvent) => {
    const unit = event.deltaMode === 1 ? LINE_PX : 1;
    const [dx, dy] = [event.deltaX * unit, event.deltaY * unit];
    const at = shareOf(within(placeOf(event)));
    let changed: boolean;
    // With Shift some browsers turn the wheel sideways.
    if (event.shiftKey || Math.abs(dx) > Math.abs(dy)) {
      changed = handled.grab()({ x: (dx || dy) / handled.plot().width, y: 0 }, 'moving');
    } else {
      const factor = Math.exp(Math.max(-FASTEST, Math.min(FASTEST, dy)) * WHEEL);
      const by = event.altKey ? { x: 1, y: factor } : { x: factor, y: 1 };
      changed = handled.zoom(at, by, 'moving');
    }
    // Zoomed out already: the page may have it, but for what is left of the same turn.
    const isOurs = changed || event.ctrlKey || event.timeStamp - lastTurn.current < SWALLOW_MS;
    if (!isOurs) return;
    lastTurn.current = event.timeStamp;
    event.preventDefault();
  };

  const onKeyDown = (event: KeyboardEvent) => {
    const action = keyAction(event);
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    act(action, event.repeat ? 'moving' : 'done');
  };
  const act = ({ zoom, pan, reset }: KeyAction, pace: Pace) => {
    if (reset) handled.reset();
    if (zoom)
      handled.zoom(MIDDLE, { x: NEARER ** (zoom.x ?? 0), y: NEARER ** (zoom.y ?? 0) }, pace);
    if (pan) handled.grab()({ x: STEP * (pan.x ?? 0), y: STEP * (pan.y ?? 0) }, pace);
  };
  const takeAway = () => {
    if (drag.current || pinch.current) return letGo();
    if (!handled.clear?.()) handled.reset();
  };

  // Preact's wheel listener would be passive in some browsers; and Escape is meant wherever the focus is.
  const now = useRef({ onWheel, takeAway });
  now.current = { onWheel, takeAway };
  useEffect(() => {
    const wheel = (event: WheelEvent) => now.current.onWheel(event);
    const key = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !isTakenElsewhere(event)) now.current.takeAway();
    };
    const element = handled.surface.current!;
    element.addEventListener('wheel', wheel, { passive: false });
    addEventListener('keydown', key);
    return () => {
      element.removeEventListener('wheel', wheel);
      removeEventListener('keydown', key);
    };
  }, []);

  return {
    band,
    isDragging: () => drag.current?.moved === true || pinch.current !== null,
    handlers: {
      onPointerDown,
      onPointerMove,
      onPointerUp,
      onPointerCancel: (event: PointerEvent) => {
        fingers.current.delete(event.pointerId);
        letGo();
      },
      onPointerLeave: () => handled.hover?.(null),
      onDblClick,
      onKeyDown,
    },
  };
}

const MIDDLE: Share = { x: 0.5, y: 0.5 };

/** A field, or something that lies over the page, has its own use for Escape. */
function isTakenElsewhere(event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement;
  const isField = target.closest?.('input, select, textarea, dialog') !== null;
  return event.defaultPrevented || isField || document.querySelector('dialog[open]') !== null;
}
