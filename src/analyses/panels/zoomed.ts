import type { PanelLine, PanelStack, Panels, PanelWindow, TimelinePanel } from './panel.ts';
import { type PanelCurve, panelCurve, picks, take, takeX } from './panel-curve.ts';

const known = new WeakMap<PanelStack | PanelLine, PanelCurve>();

/** A part of panels that were picked before, again so that no peak of theirs is lost. */
export function zoomedPanels(panels: Panels, window: PanelWindow): Panels {
  return { ...panels, panels: panels.panels.map((panel) => narrowedPanel(panel, window)) };
}

function narrowedPanel(panel: TimelinePanel, window: PanelWindow): TimelinePanel {
  return {
    ...panel,
    stack: panel.stack && narrowedStack(panel.stack, window),
    lines: panel.lines.map((line) => {
      const curve = curveOnce(line, () => panelCurve(line.x, line.bytes));
      const { rows } = picks(curve, window);
      return { ...line, x: takeX(curve, rows), bytes: take(line.bytes, rows) };
    }),
  };
}

function narrowedStack(stack: PanelStack, window: PanelWindow): PanelStack {
  const curve = curveOnce(stack, () => panelCurve(stack.x, totalOf(stack)));
  const { rows } = picks(curve, window);
  const bands = stack.bands.map((band) => ({ ...band, bytes: take(band.bytes, rows) }));
  return { x: takeX(curve, rows), bands };
}

export function totalOf({ x, bands }: PanelStack): Float64Array {
  const total = new Float64Array(x.length);
  for (const { bytes } of bands) for (let i = 0; i < total.length; i++) total[i]! += bytes[i]!;
  return total;
}

function curveOnce(of: PanelStack | PanelLine, make: () => PanelCurve): PanelCurve {
  let found = known.get(of);
  if (!found) {
    found = make();
    known.set(of, found);
  }
  return found;
}
