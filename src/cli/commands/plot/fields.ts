import { meminfoFields } from '../../../analyses/meminfo-fields.ts';
import { UserError } from '../../../base/errors.ts';
import { fieldsChart } from '../../../views/chart/timeline/fields.ts';
import { defaultPicture } from '../../output/picture.ts';
import { openOne, titleOf } from './one-recording.ts';
import type { PlotKind } from './plot-kind.ts';

/** A grid of all fields of /proc/meminfo. */
export const fieldsPlot: PlotKind = {
  wants: (_, options) => options.fields === true,
  async draw(inputs, options) {
    const recording = await openOne(inputs, options, '--fields');
    const data = meminfoFields(recording);
    if (data.fields.length === 0) {
      throw new UserError('this recording has no fields of /proc/meminfo to draw');
    }
    const { width, theme } = options;
    const out = options.out ?? defaultPicture(recording.run.name);
    return [
      { out, scene: fieldsChart(data, { title: titleOf(recording, options), width, theme }) },
    ];
  },
};
