import { max } from 'd3-array';
import { envelopeRows } from './envelope.ts';
import type {
  PanelBand,
  PanelEnvelope,
  PanelLine,
  PanelPeak,
  PanelStack,
  PanelWindow,
  TimelinePanel,
} from './panel.ts';
import { type PanelCurve, picks, take, takeX, xAt } from './panel-curve.ts';

/** Everything a panel can show, before a part of it is picked. */
export interface PanelSource
  extends Pick<TimelinePanel, 'id' | 'title' | 'steps' | 'limit' | 'unit'> {
  readonly lines: readonly {
    readonly series: string;
    readonly label: string;
    readonly curve: PanelCurve;
  }[];
  readonly stack: StackSource | null;
  /** Where its own highest sample is not what a report calls the peak. */
  readonly told?: ToldPeak;
  /** What it is of, where it is an allocation trace; -1: the peak stood before the first event. */
  readonly trace?: { readonly index: number; readonly peakEvent: number };
}

export type ToldPeak = Pick<PanelPeak, 'x' | 'value' | 'by' | 'moment'>;

export interface StackSource {
  /** The sum of the bands; decides which samples are drawn. */
  readonly total: PanelCurve;
  /** First rows of the steps that it consists of, where it does. */
  readonly stretches?: Uint32Array;
  /** The bands at some of its samples. */
  bands(rows: Uint32Array): PanelBand[];
}

/** Of a source, what a window shows; `peak`: as found before by `peakOf`. */
export function panelOf(
  source: PanelSource,
  window: PanelWindow,
  peak: PanelPeak | null,
): TimelinePanel {
  const { id, title, steps, limit, unit, lines, stack } = source;
  const tops = curvesOf(source).map(
    ({ y, pyramid }) => y[pyramid.extremes(0, y.length).highest] ?? 0,
  );
  return {
    id,
    title,
    steps,
    limit,
    ...(unit && { unit }),
    ...(stack ? pickedStack(stack, window) : { stack: null, envelope: null }),
    lines: lines.map((line) => pickedLine(line, window)),
    highest: max([...tops, peak?.value ?? 0])!,
    peak,
  };
}

const curvesOf = ({ lines, stack }: PanelSource): PanelCurve[] => [
  ...lines.map(({ curve }) => curve),
  ...(stack ? [stack.total] : []),
];

/** The highest of what adds up, or of the highest line. */
export function peakOf(source: PanelSource): ToldPeak | null {
  const { lines, stack, told } = source;
  if (told) return told;
  const curves = stack ? [stack.total] : lines.map(({ curve }) => curve);
  const found = curves.flatMap((curve): ToldPeak[] => {
    const { highest } = curve.pyramid.extremes(0, curve.y.length);
    const value = curve.y[highest];
    if (value === undefined || Number.isNaN(value)) return [];
    return [{ x: xAt(curve, highest), value, by: 'samples', moment: null }];
  });
  return found.reduce<ToldPeak | null>(
    (best, one) => (!best || one.value > best.value ? one : best),
    null,
  );
}

/** The bands of all rows at once: whoever tells them looks at every allocation for it. */
function pickedStack(
  { total, stretches, bands }: StackSource,
  window: PanelWindow,
): { stack: PanelStack; envelope: PanelEnvelope | null } {
  const { rows } = picks(total, window);
  const steps = stretches ? envelopeRows(total, stretches, window) : null;
  if (!steps) return { stack: { x: takeX(total, rows), bands: bands(rows) }, envelope: null };
  const all = Uint32Array.from(new Set([...rows, ...steps.peaks])).sort();
  const place = new Map(Array.from(all, (row, i) => [row, i]));
  const found = bands(all);
  const at = (wanted: Uint32Array) => {
    const places = wanted.map((row) => place.get(row)!);
    return found.map((band) => ({ ...band, bytes: take(band.bytes, places) }));
  };
  // The last point closes the last step.
  const peaks = Uint32Array.from([...steps.peaks, steps.peaks.at(-1)!]);
  const ends = Uint32Array.from([...steps.ends, steps.ends.at(-1)!]);
  return {
    stack: { x: takeX(total, rows), bands: at(rows) },
    envelope: { x: steps.x, bands: at(peaks), ends: take(total.y, ends) },
  };
}

function pickedLine(
  { series, label, curve }: PanelSource['lines'][number],
  window: PanelWindow,
): PanelLine {
  const { rows, inside } = picks(curve, window);
  return { series, label, x: takeX(curve, rows), bytes: take(curve.y, rows), samples: inside };
}
