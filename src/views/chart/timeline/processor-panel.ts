import { scaleLinear } from 'd3-scale';
import type { ProcessorLine } from '../../../analyses/timeline.ts';
import { type Axis, percentAxis } from '../axes.ts';
import { areaPath, downsample, linePath, linesAndLonePoints } from '../downsample.ts';
import { axisLabels, grid, type Scale } from '../frame.ts';
import { seriesColor, type Theme } from '../palette.ts';
import type { Box, Node } from '../scene.ts';
import { text, yAxisTitle } from '../text-nodes.ts';

/** An idle program's noise must not fill the picture. */
const LEAST_PERCENT = 100;
/** Memory's own colours come first in a legend. */
const COLOR = 4;

/** The processors' share below the memory, over the same time. */
export function processorPanel(
  { seconds, percent, cores }: ProcessorLine,
  edge: number,
  plot: Box,
  x: Scale,
  xAxis: Axis,
  theme: Theme,
): Node[] {
  const high = 1.12 * percent.reduce((most, value) => Math.max(most, value), LEAST_PERCENT);
  const yAxis = percentAxis({ low: 0, high }, Math.max(2, Math.floor(plot.height / 34)));
  const y = scaleLinear([0, high], [plot.y + plot.height, plot.y]);
  const color = seriesColor(theme, COLOR);
  const runs = downsample(seconds, percent, x, y);
  const { wide, lone } = linesAndLonePoints(runs);
  const mean = `${cores.toFixed(cores < 10 ? 2 : 1)} cores on average`;
  return [
    ...grid(plot, xAxis, yAxis, x, y, theme),
    {
      node: 'group',
      clip: plot,
      children: [
        { node: 'path', d: areaPath(runs, plot.y + plot.height), fill: color, opacity: 0.12 },
        { node: 'path', d: linePath(wide), stroke: { color, width: 1.5 } },
        ...(lone.length > 0
          ? [{ node: 'dots', at: lone, radius: 2.2, fill: color, opacity: 1 } as const]
          : []),
      ],
    },
    ...axisLabels(plot, xAxis, yAxis, x, y, theme),
    text(plot.x + plot.width - 4, plot.y + 12, mean, 11.5, theme.muted, {
      anchor: 'end',
      halo: theme.background,
    }),
    yAxisTitle(edge, plot, yAxis.unit, theme, 'CPU'),
  ];
}
