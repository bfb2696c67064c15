import type { Theme } from '../../../views/chart/palette.ts';
import type { View } from './picture/across.ts';
import { acrossTicks, type Ticks, upTicks } from './ticks.ts';

/** Room beside the picture for the axes. */
export const MARGIN = { left: 62, right: 12, top: 8, bottom: 38 } as const;

export interface Band {
  readonly from: number;
  readonly to: number;
}

interface Props {
  readonly view: View;
  readonly width: number;
  readonly height: number;
  readonly theme: Theme;
  readonly firstEvent: number;
  /** Where the pointer is, in pixels of the plot. */
  readonly pointer: { x: number; y: number } | null;
  /** A stretch that is being marked, in pixels of the plot. */
  readonly band: Band | null;
  /** Where on the x-axis most was live. */
  readonly peak: number;
}

/** Axes and what moves with the pointer, over the picture. Colours are in it, as it is also saved. */
export function MapFrame(props: Props) {
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
        {props.peak >= view.x0 && props.peak <= view.x1 && (
          <PeakLine x={x(props.peak)} plot={plot} theme={theme} />
        )}
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

function PeakLine({ x, plot, theme }: { x: number } & Pick<Side, 'plot' | 'theme'>) {
  const late = x > plot.width - 60;
  return (
    <g>
      <line x1={x} x2={x} y2={plot.height} stroke={theme.alarm} stroke-dasharray="3 3" />
      <text
        x={late ? x - 4 : x + 4}
        y={11}
        fill={theme.alarm}
        text-anchor={late ? 'end' : 'start'}
        stroke={theme.background}
        stroke-width={3}
        paint-order="stroke"
      >
        peak
      </text>
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
