import { barsPlot } from './bars.ts';
import { fieldsPlot } from './fields.ts';
import { accountingPlot, layersPlot } from './layers.ts';
import { overlayPlot } from './overlay.ts';
import type { PlotKind } from './plot-kind.ts';
import { timelinePlot } from './timeline.ts';

/** All kinds of chart; the first that wants the arguments draws them, the last wants any. */
export const PLOT_KINDS: readonly PlotKind[] = [
  fieldsPlot,
  layersPlot,
  accountingPlot,
  barsPlot,
  overlayPlot,
  timelinePlot,
];
