import { overlay } from '../../../analyses/overlay.ts';
import { openRuns, runPaths } from '../../../open/runs.ts';
import { overlayChart } from '../../../views/chart/overlay/overlay.ts';
import { defaultPicture } from '../../output/picture.ts';
import { saySkipped } from '../../output/skipped-inputs.ts';
import type { PlotKind } from './plot-kind.ts';

/** Several runs in one picture. */
export const overlayPlot: PlotKind = {
  overTime: true,
  wants: async (inputs) => (await runPaths(inputs)).length > 1,
  async draw(inputs, options) {
    const { runs, skipped } = await openRuns(inputs, options.hints);
    const data = overlay(runs, {
      series: options.series,
      align: options.align,
      range: options.range,
      baseline: options.absolute ? 'absolute' : 'subtracted',
    });
    saySkipped([...skipped, ...data.skipped]);
    const { title, width, height, theme } = options;
    const out = options.out ?? defaultPicture('overlay');
    return [{ out, scene: overlayChart(data, { title, width, height, theme }) }];
  },
};
