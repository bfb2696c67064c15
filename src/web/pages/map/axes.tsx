import { type AxisTick, byteAxis, multiples } from '../../../views/chart/axes.ts';
import type { Theme } from '../../../views/chart/palette.ts';
import type { PlacedPeak } from '../../../views/chart/peak-mark.ts';
import type { DrawnStretch } from '../../hands/use-hands.ts';
import { SceneNodes } from '../../parts/scene-view.tsx';
import type { View } from './picture/x-axis.ts';

/** Room beside the picture for the axes. */
export const MARGIN = { left: 62, right: 12, top: 8, bottom: 38 } as const;

interface Props {
  readonly view: View;
  readonly width: number;
  readonly height: number;
  readonly theme: Theme;
  readonly firstEvent: number;
  /** Where the pointer is, in pixels of the plot. */
  readonly pointer: { x: number; y: number } | null;
  /** A stretch that is being marked, in pixels of the plot. */
  readonly band: DrawnStretch | null;
  /** When most was live; null where that is out of sight. */
  readonly peak: PlacedPeak | null;
}

/** Axes and what moves with the pointer, over the picture. Colours are in it, as it is also saved. */
export function MapAxes(props: Props) {
  const { view, width, height, theme, pointer, band } = props;
  const plot = plotSize(width, height);
  const x = (value: number) => ((value - view.x0) / (view.x1 - view.x0)) * plot.width;
  const y = (value: number) =>
    plot.height - ((value - view.y0) / (view.y1 - view.y0)) * plot.height;
  const across = acrossTicks(view, Math.max(2, plot.width / 110), props.firstEvent);
  const up = upTicks(view, Math.max(2, plot.height / 60));
  return (
    <svg class="map-frame" width={width} height={height} aria-hidden="true" font-size="12">
      <g transform={`translate(${MARGIN.left} ${MARGIN.top})`}>
        <rect width={plot.width} height={plot.height} fill="none" stroke={theme.axis} />
        <Across ticks={across} place={x} plot={plot} theme={theme} />
        <Up ticks={up} place={y} plot={plot} theme={theme} />
        {props.peak && <PeakLine peak={props.peak} plot={plot} theme={theme} />}
        {band && (
          <rect
            x={Math.min(band.from, band.to)}
            width={Math.abs(band.to - band.from)}
            height={plot.height}
            fill={theme.ink}
            opacity={0.15}
          />
        )}
        {pointer && (
          <line x1={pointer.x} x2={pointer.x} y2={plot.height} stroke={theme.ink} opacity={0.4} />
        )}
      </g>
    </svg>
  );
}

function PeakLine({ peak, plot, theme }: { peak: PlacedPeak } & Pick<Side, 'plot' | 'theme'>) {
  const { x } = peak.at;
  return (
    <g>
      <line x1={x} x2={x} y2={plot.height} stroke={theme.alarm} stroke-dasharray="3 3" />
      <SceneNodes nodes={peak.nodes} />
    </g>
  );
}

export const plotSize = (width: number, height: number) => ({
  width: Math.max(10, width - MARGIN.left - MARGIN.right),
  height: Math.max(10, height - MARGIN.top - MARGIN.bottom),
});

interface Side {
  readonly ticks: Ticks;
  readonly place: (value: number) => number;
  readonly plot: { width: number; height: number };
  readonly theme: Theme;
}

function Across({ ticks, place, plot, theme }: Side) {
  return (
    <g fill={theme.muted} text-anchor="middle">
      {ticks.ticks.map(({ value, label }) => (
        <g key={value} transform={`translate(${place(value)} ${plot.height})`}>
          <line y2={4} stroke={theme.axis} />
          <text y={17}>{label}</text>
        </g>
      ))}
      <text x={plot.width / 2} y={plot.height + 33}>
        {ticks.title}
      </text>
    </g>
  );
}

function Up({ ticks, place, plot, theme }: Side) {
  return (
    <g fill={theme.muted} text-anchor="end">
      {ticks.ticks.map(({ value, label }) => (
        <g key={value} transform={`translate(0 ${place(value)})`}>
          <line x2={-4} stroke={theme.axis} />
          <line x2={plot.width} stroke={theme.ink} opacity={0.07} />
          <text x={-7} y={4}>
            {label}
          </text>
        </g>
      ))}
      <text
        transform={`translate(${12 - MARGIN.left} ${plot.height / 2}) rotate(-90)`}
        text-anchor="middle"
      >
        {ticks.title}
      </text>
    </g>
  );
}

/** Round places along the lower edge, down to a microsecond or a single event. */
function acrossTicks({ axis, x0, x1 }: View, most: number, firstEvent: number): Ticks {
  if (axis === 'events') {
    const step = Math.max(1, roundStep((x1 - x0) / most));
    const ticks = multiples(x0 + firstEvent, x1 + firstEvent, step).map((event) => ({
      value: event - firstEvent,
      label: event.toLocaleString('en'),
    }));
    return { ticks, title: 'event' };
  }
  const step = roundStep((x1 - x0) / most);
  const [unit, size] = x1 - x0 >= 2e6 ? ['s', 1e6] : x1 - x0 >= 2e3 ? ['ms', 1e3] : ['µs', 1];
  const digits = Math.max(0, Math.min(3, -Math.floor(Math.log10(step / size))));
  const ticks = multiples(x0, x1, step).map((value) => ({
    value,
    label: (value / size).toLocaleString('en', {
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    }),
  }));
  return { ticks, title: `${unit} since the trace began` };
}

interface Ticks {
  readonly ticks: readonly AxisTick[];
  readonly title: string;
}

function upTicks({ order, y0, y1 }: View, most: number): Ticks {
  const { major, unit } = byteAxis({ low: y0, high: y1 }, most);
  const what = order === 'address' ? 'address, gaps left out' : 'requested and live';
  return { ticks: major, title: `${unit}, ${what}` };
}

/** The next of 1, 2, 5, 10 … */
function roundStep(wanted: number): number {
  const decade = 10 ** Math.floor(Math.log10(Math.max(wanted, 1e-9)));
  return [1, 2, 5, 10].map((n) => n * decade).find((step) => step >= wanted * (1 - 1e-9))!;
}
