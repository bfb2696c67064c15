import type { Trend } from '../../../analyses/leak/trend.ts';
import type { PanelLine, Panels, TimelinePanel } from '../../../analyses/panels/panel.ts';
import type { Report } from '../../../analyses/report.ts';
import { rateWords } from '../../../model/rate-words.ts';
import { seriesLabel } from '../../../model/series-label.ts';
import { cardsShown } from '../../../views/report/gpu.ts';
import type { Range } from '../../hands/range.ts';

/** The curve that belongs to an answer. */
export interface Curve {
  readonly panels: Panels;
  /** null: all of it, as growth is seen from the start. */
  readonly range: Range | null;
  /** What it is about, in the unit of the panels' clock. */
  readonly moment: number | null;
  /** The axis goes from the lowest to the highest that is shown: else slow growth is a flat line. */
  readonly fit: boolean;
}

/** Of the whole run, on either side of the moment. */
const AROUND = 0.1;

/** null: the answer is about no curve. */
export function curveOf(door: string, report: Report, panels: Panels): Curve | null {
  const wish = WISHES[door]?.(report) ?? null;
  if (!wish) return null;
  const panel = panels.panels.find(({ id }) => wish.panel.test(id));
  if (!panel) return null;
  if (wish.growth === 'all') {
    return { panels: { ...panels, panels: [panel] }, range: null, moment: null, fit: false };
  }
  if (wish.growth) return growing(panels, panel, wish.growth);
  const moment = wish.moment ?? panel.peak?.x ?? null;
  const range = moment === null ? null : around(moment, panels.span);
  return { panels: { ...panels, panels: [panel] }, range, moment, fit: false };
}

/** The series that grows, with the line that was laid through it, over the time that was judged. */
function growing(panels: Panels, panel: TimelinePanel, trend: Trend): Curve {
  const { series, line } = trend;
  const own = panel.lines.find((one) => one.series === series);
  const shown = own ?? totalOf(panel) ?? panel.lines[0]!;
  const laid: PanelLine[] =
    own && line
      ? [
          {
            series: 'trend',
            label: `trend, ${rateWords(trend)}`,
            x: Float64Array.of(line.fromSeconds, line.toSeconds),
            bytes: Float64Array.of(line.fromBytes, line.toBytes),
            samples: 2,
          },
        ]
      : [];
  const alone = { ...panel, stack: null, limit: null, peak: null, lines: [shown, ...laid] };
  const range: Range | null = line && [line.fromSeconds, line.toSeconds];
  return { panels: { ...panels, panels: [alone] }, range, moment: null, fit: true };
}

/** What the bands of a panel add up to, as a line. */
function totalOf({ id, stack, title }: TimelinePanel): PanelLine | null {
  if (!stack) return null;
  const bytes = stack.x.map((_, i) => stack.bands.reduce((sum, band) => sum + band.bytes[i]!, 0));
  const series = id === 'tree' ? (title.includes('PSS') ? 'tree.pss' : 'tree.rss') : 'total';
  return { series, label: seriesLabel(series), x: stack.x, bytes, samples: bytes.length };
}

interface Wish {
  readonly panel: RegExp;
  /** Seconds; null: where that panel is highest. */
  readonly moment: number | null;
  /** Its growth is what matters, no single moment: the trend that was judged, or all of the curve. */
  readonly growth?: Trend | 'all';
}

const WISHES: Readonly<Record<string, (report: Report) => Wish | null>> = {
  'device-peak': devicePeak,
  'host-peak': ({ headline }) =>
    headline && {
      panel: headline.measure === 'machine' ? /^host$/ : /^tree$/,
      moment: headline.seconds,
    },
  oom: (report) => {
    const device = devicePeak(report);
    const said = report.ending.oomMessages.at(-1)?.seconds ?? null;
    return device && { panel: device.panel, moment: said ?? device.moment };
  },
  leak: leakCurve,
};

function devicePeak(report: Report): Wish | null {
  const [card] = cardsShown(report)
    .filter(({ headline }) => headline)
    .sort((a, b) => b.headline!.bytes - a.headline!.bytes);
  if (card) return { panel: new RegExp(`^gpu${card.gpu}$`), moment: card.headline!.seconds };
  return report.devices.length > 0 ? { panel: /^trace/, moment: null } : null;
}

/** The curve that grows; of what leaks nowhere, the one that was judged. */
function leakCurve({ leak, devices }: Report): Wish | null {
  const series = leak.trend?.series ?? leak.bound?.series ?? leak.shelf?.series;
  const onDevice = devices.some((one) => one.leak.verdict === 'leak');
  if (!series || onDevice) {
    return devices.length > 0 ? { panel: /^trace/, moment: null, growth: 'all' } : null;
  }
  const [place = ''] = series.replace(/^cgroup\./, 'tree.').split('.');
  const panel = new RegExp(`^${place.replace(/\W/g, '')}$`);
  return { panel, moment: null, growth: leak.trend ?? 'all' };
}

function around(moment: number, [low, high]: Panels['span']): Range {
  const half = (high - low) * AROUND;
  return [Math.max(low, moment - half), Math.min(high, moment + half)];
}
