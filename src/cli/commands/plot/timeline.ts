import { type Report, report } from '../../../analyses/report.ts';
import {
  defaultSeries,
  type ProcessorLine,
  processorLine,
  timeline,
} from '../../../analyses/timeline.ts';
import { UserError } from '../../../base/errors.ts';
import type { Recording } from '../../../model/recording.ts';
import { openInput } from '../../../open/open.ts';
import { timelineChart } from '../../../views/chart/timeline/timeline.ts';
import { chartTitle } from '../../../views/chart/title.ts';
import { orNewest } from '../../output/newest.ts';
import { defaultPicture } from '../../output/picture.ts';
import type { PlotKind, PlotOptions } from './plot-kind.ts';

/** Memory of one run over time. */
export const timelinePlot: PlotKind = {
  overTime: true,
  withCpu: true,
  wants: () => true,
  async draw([input], options) {
    const recording = await openInput(orNewest(input), options.hints);
    const facts = report(recording);
    const data = timeline(recording, seriesNames(options, facts), options.range);
    const title = options.title ?? chartTitle(facts);
    const { width, height, style, theme } = options;
    const out = options.out ?? defaultPicture(recording.run.name);
    const processor = options.cpu ? processorOf(recording, options) : undefined;
    const { leak } = facts;
    const scene = timelineChart(data, { title, width, height, style, theme, leak, processor });
    return [{ out, scene }];
  },
};

function processorOf(recording: Recording, { range }: PlotOptions): ProcessorLine {
  const found = processorLine(recording, range);
  if (found) return found;
  throw new UserError('this recording has no processor time', {
    hint: 'leave --cpu out; recordings of version 4 have it, where processes ran for a while',
  });
}

function seriesNames(options: PlotOptions, facts: Report): string[] {
  const asked = options.series?.split(',').map((name) => name.trim());
  const names = [...new Set(asked?.filter(Boolean) ?? usualSeries(facts))];
  if (names.length === 0) throw new UserError('this recording has no memory samples to draw');
  return names;
}

/** A log of GPUs has nothing else to show. */
function usualSeries(facts: Report): string[] {
  const usual = defaultSeries(facts);
  const cards = facts.peaks.filter(({ series }) => /^gpu\d+\.used$/.test(series));
  return usual.length > 0 ? usual : cards.map(({ series }) => series);
}
