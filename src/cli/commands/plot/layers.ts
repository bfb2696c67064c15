import { greatest, max } from 'd3-array';
import { layerAccounting } from '../../../analyses/layers/accounting.ts';
import { largest } from '../../../analyses/layers/difference.ts';
import { layers } from '../../../analyses/layers/index.ts';
import { UserError } from '../../../base/errors.ts';
import { layerBarsChart } from '../../../views/chart/bars/layer-bars.ts';
import { accountingChart } from '../../../views/chart/timeline/accounting.ts';
import { defaultPicture } from '../../output/picture.ts';
import { openOne, titleOf } from './one-recording.ts';
import type { PlotKind } from './plot-kind.ts';

/** Bars of what each layer held. */
export const layersPlot: PlotKind = {
  wants: (_, options) => options.layers === true,
  async draw(inputs, options) {
    const recording = await openOne(inputs, options, '--layers');
    const model = largest(layers(recording).models) ?? nothing();
    const { width, theme } = options;
    const scene = layerBarsChart(model, { title: titleOf(recording, options), width, theme });
    return [{ out: options.out ?? defaultPicture(recording.run.name), scene }];
  },
};

/** What a process's memory was made of over time, in stacked areas. */
export const accountingPlot: PlotKind = {
  wants: (_, options) => options.accounting === true,
  async draw(inputs, options) {
    const recording = await openOne(inputs, options, '--accounting');
    const { processes } = layerAccounting(recording);
    const process =
      greatest(processes, (a, b) => (max(a.measured) ?? 0) - (max(b.measured) ?? 0)) ?? nothing();
    const { width, height, theme } = options;
    const title = titleOf(recording, options);
    const scene = accountingChart(process, { title, width, height, theme });
    return [{ out: options.out ?? defaultPicture(recording.run.name), scene }];
  },
};

function nothing(): never {
  throw new UserError('this recording tells nothing of layers', {
    hint: 'use MemoryProfiler in the program: see docs/layers.md',
  });
}
