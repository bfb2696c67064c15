import { type Curve, curveOf, picks, take, takeX } from './curve.ts';
import type { Line, Panel, Panels, Stack, Window } from './panel.ts';

const known = new WeakMap<Stack | Line, Curve>();

/** A part of panels that were picked before, again so that no peak of theirs is lost. */
export function narrowed(panels: Panels, window: Window): Panels {
  return { ...panels, panels: panels.panels.map((panel) => narrowedPanel(panel, window)) };
}

function narrowedPanel(panel: Panel, window: Window): Panel {
  return {
    ...panel,
    stack: panel.stack && narrowedStack(panel.stack, window),
    lines: panel.lines.map((line) => {
      const curve = curveOnce(line, () => curveOf(line.x, line.bytes));
      const { rows } = picks(curve, window);
      return { ...line, x: takeX(curve, rows), bytes: take(line.bytes, rows) };
    }),
  };
}

function narrowedStack(stack: Stack, window: Window): Stack {
  const curve = curveOnce(stack, () => curveOf(stack.x, totalOf(stack)));
  const { rows } = picks(curve, window);
  const bands = stack.bands.map((band) => ({ ...band, bytes: take(band.bytes, rows) }));
  return { x: takeX(curve, rows), bands };
}

export function totalOf({ x, bands }: Stack): Float64Array {
  const total = new Float64Array(x.length);
  for (const { bytes } of bands) for (let i = 0; i < total.length; i++) total[i]! += bytes[i]!;
  return total;
}

function curveOnce(of: Stack | Line, make: () => Curve): Curve {
  let found = known.get(of);
  if (!found) {
    found = make();
    known.set(of, found);
  }
  return found;
}
