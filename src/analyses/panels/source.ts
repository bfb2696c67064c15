import { max } from 'd3-array';
import type { PanelBand, PanelLine, PanelWindow, TimelinePanel } from './panel.ts';
import { type PanelCurve, picks, take, takeX } from './panel-curve.ts';

/** Everything a panel can show, before a part of it is picked. */
export interface PanelSource
  extends Pick<TimelinePanel, 'id' | 'title' | 'steps' | 'limit' | 'unit'> {
  readonly lines: readonly {
    readonly series: string;
    readonly label: string;
    readonly curve: PanelCurve;
  }[];
  readonly stack: StackSource | null;
}

export interface StackSource {
  /** The sum of the bands; decides which samples are drawn. */
  readonly total: PanelCurve;
  /** The bands at some of its samples. */
  bands(rows: Uint32Array): PanelBand[];
}

/** Of a source, what a window shows. */
export function panelOf(source: PanelSource, window: PanelWindow): TimelinePanel {
  const { id, title, steps, limit, unit, lines, stack } = source;
  const tops = [...lines.map(({ curve }) => curve), ...(stack ? [stack.total] : [])].map(
    ({ y, pyramid }) => y[pyramid.extremes(0, y.length).highest] ?? 0,
  );
  return {
    id,
    title,
    steps,
    limit,
    ...(unit && { unit }),
    stack: stack && pickedStack(stack, window),
    lines: lines.map((line) => pickedLine(line, window)),
    highest: max(tops) ?? 0,
  };
}

function pickedStack({ total, bands }: StackSource, window: PanelWindow) {
  const { rows } = picks(total, window);
  return { x: takeX(total, rows), bands: bands(rows) };
}

function pickedLine(
  { series, label, curve }: PanelSource['lines'][number],
  window: PanelWindow,
): PanelLine {
  const { rows, inside } = picks(curve, window);
  return { series, label, x: takeX(curve, rows), bytes: take(curve.y, rows), samples: inside };
}
