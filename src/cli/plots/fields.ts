import { fields } from '../../analyses/fields.ts';
import { report } from '../../analyses/report.ts';
import { UserError } from '../../base/errors.ts';
import { fieldsChart } from '../../views/chart/fields.ts';
import { chartTitle } from '../../views/chart/title.ts';
import { locate, openPlace } from '../open.ts';
import { defaultPicture } from '../picture.ts';
import type { PlotKind } from './plot-kind.ts';

/** A grid of all fields of /proc/meminfo. */
export const fieldsPlot: PlotKind = {
  wants: (_, options) => options.fields === true,
  async draw(inputs, options) {
    if (inputs.length > 1) {
      throw new UserError('--fields draws one recording', { hint: 'name one of them' });
    }
    const recording = await openPlace(locate(inputs[0]), options.hints);
    const data = fields(recording);
    if (data.fields.length === 0) {
      throw new UserError('this recording has no fields of /proc/meminfo to draw');
    }
    const title = options.title ?? chartTitle(report(recording));
    const { width, theme } = options;
    const out = options.out ?? defaultPicture(recording.run.name);
    return [{ out, scene: fieldsChart(data, { title, width, theme }) }];
  },
};
