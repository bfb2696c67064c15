import { type ScaleLinear, scaleLinear } from 'd3-scale';
import { type Axis, byteAxis, type Domain, timeAxis } from './axes.ts';
import { axisLabels, grid, labelRoom } from './frame.ts';
import type { Theme } from './palette.ts';
import type { Box, Node, Scene } from './scene.ts';
import { text } from './words.ts';

/** What the numbers below a plot count. */
export type Across = 'seconds' | 'iterations';

export interface PlainPlotOptions {
  /** For readers who cannot see it. */
  readonly title: string;
  readonly width: number;
  readonly height: number;
  readonly theme: Theme;
  readonly across: Across;
  readonly acrossWords: string;
  readonly domain: Domain;
  readonly values: Domain;
}

/** A picture with the scales that lead from a pointer back to its data. */
export interface PlainPlot {
  readonly scene: Scene;
  readonly plot: Box;
  readonly x: ScaleLinear<number, number>;
  readonly y: ScaleLinear<number, number>;
}

const MARGIN = 8;
const FOOT = 40;
const HEAD = 10;

/** Axes and a grid, without a heading: for a page that says around the picture what it shows. */
export function plainPlot(
  options: PlainPlotOptions,
  draw: (x: PlainPlot['x'], y: PlainPlot['y'], plot: Box) => readonly Node[],
): PlainPlot {
  const { title, width, height, theme, across, acrossWords, domain, values } = options;
  const tall = Math.max(30, height - HEAD - FOOT);
  const yAxis = byteAxis(values, Math.max(2, tall / 44));
  const left = MARGIN + 18 + labelRoom(yAxis);
  const plot: Box = {
    x: left,
    y: HEAD,
    width: Math.max(40, width - left - MARGIN - 14),
    height: tall,
  };
  const x = scaleLinear([domain.low, domain.high], [plot.x, plot.x + plot.width]);
  const y = scaleLinear([values.low, values.high], [plot.y + plot.height, plot.y]);
  const most = Math.max(2, Math.floor(plot.width / 72));
  const xAxis = across === 'seconds' ? timeAxis(domain, most) : countAxis(domain, most);
  const words = across === 'seconds' ? `${xAxis.unit} ${acrossWords}` : acrossWords;
  const middle = plot.y + plot.height / 2;
  const look = { anchor: 'middle', upwards: true } as const;
  return {
    plot,
    x,
    y,
    scene: {
      ...{ width, height, title },
      background: theme.background,
      nodes: [
        ...grid(plot, xAxis, yAxis, x, y, theme),
        // Half a line's width more, so that a curve along the border is not shaved off.
        {
          node: 'group',
          clip: { ...plot, y: plot.y - 1, height: plot.height + 2 },
          children: draw(x, y, plot),
        },
        ...axisLabels(plot, xAxis, yAxis, x, y, theme),
        text(plot.x + plot.width / 2, height - 4, words, 12, theme.muted, { anchor: 'middle' }),
        text(MARGIN + 8, middle, yAxis.unit, 12, theme.muted, look),
      ],
    },
  };
}

/** Whole numbers. */
function countAxis({ low, high }: Domain, most: number): Axis {
  const ticks = scaleLinear([low, high], [0, 1])
    .ticks(most)
    .filter((value) => Number.isInteger(value));
  return {
    unit: '',
    major: ticks.map((value) => ({ value, label: value.toLocaleString('en-US') })),
    minor: [],
  };
}
