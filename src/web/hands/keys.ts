/** What a key does to a view: how many times nearer, and which way. */
export interface KeyAction {
  readonly zoom?: { readonly x?: number; readonly y?: number };
  readonly pan?: { readonly x?: number; readonly y?: number };
  readonly reset?: true;
}

const KEYS: Readonly<Record<string, KeyAction>> = {
  w: { zoom: { x: 1 } },
  s: { zoom: { x: -1 } },
  a: { pan: { x: -1 } },
  d: { pan: { x: 1 } },
  ArrowUp: { zoom: { x: 1 } },
  ArrowDown: { zoom: { x: -1 } },
  ArrowLeft: { pan: { x: -1 } },
  ArrowRight: { pan: { x: 1 } },
  '+': { zoom: { x: 1 } },
  '=': { zoom: { x: 1 } },
  '-': { zoom: { x: -1 } },
  ']': { zoom: { y: 1 } },
  '[': { zoom: { y: -1 } },
  '0': { reset: true },
  Home: { reset: true },
};

/** With Shift, where there is something above and below. */
const SHIFTED: Readonly<Record<string, KeyAction>> = {
  ArrowUp: { pan: { y: 1 } },
  ArrowDown: { pan: { y: -1 } },
};

/** undefined where a key means nothing to a chart. */
export function keyAction(event: KeyboardEvent): KeyAction | undefined {
  if (event.ctrlKey || event.metaKey || event.altKey) return undefined;
  return (event.shiftKey ? SHIFTED[event.key] : undefined) ?? KEYS[event.key];
}
