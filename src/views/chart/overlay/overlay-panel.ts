import { scaleLinear } from 'd3-scale';
import type { Across } from '../across.ts';
import type { Axis, Domain } from '../axes.ts';
import { axisLabels, grid, type Scale } from '../frame.ts';
import type { Theme } from '../palette.ts';
import type { Box, Node } from '../scene.ts';
import { upTitle } from '../words.ts';
import { type DrawnLine, overlayCurves, overlayPeaks } from './overlay-curves.ts';

export interface Panel {
  readonly plot: Box;
  /** Left of the numbers of its axis. */
  readonly edge: number;
  readonly domain: Domain;
  readonly yAxis: Axis;
  /** The same in all panels. */
  readonly across: Across;
  /** The highest first. */
  readonly lines: readonly DrawnLine[];
  /** Whose peaks are marked here, and which of them in words. */
  readonly ringed: readonly DrawnLine[];
  readonly labelled: readonly DrawnLine[];
  readonly theme: Theme;
}

/** Curves that leave the plot go on so far: a renderer need not cope with what is miles away. */
const BEYOND = 8;

/** One plot: all curves over the range of its axis. */
export function overlayPanel(panel: Panel): Node[] {
  const { plot, domain, yAxis, across, lines, theme } = panel;
  const [top, bottom] = [plot.y, plot.y + plot.height];
  const y = scaleLinear([domain.low, domain.high], [bottom, top]);
  const near: Scale = (value) => Math.max(top - BEYOND, y(value));
  return [
    ...grid(plot, across.axis, yAxis, across.x, y, theme),
    {
      node: 'group',
      // Half a line's width more, so that a curve along the border is not shaved off.
      clip: { ...plot, y: plot.y - 1, height: plot.height + 2 },
      children: overlayCurves(lines, across.x, near),
    },
    ...axisLabels(plot, across.axis, yAxis, across.x, y, theme),
    ...overlayPeaks(panel.ringed, panel.labelled, across.x, y, plot, theme),
    upTitle(panel.edge, plot, yAxis.unit, theme),
  ];
}
