import type { Overlay } from '../../../analyses/overlay.ts';
import { seriesLabel } from '../../series-label.ts';
import { type Across, around, timeAcross } from '../across.ts';
import { type Domain, mebibyteAxis } from '../axes.ts';
import { labelRoom } from '../frame.ts';
import type { ChartOptions } from '../options.ts';
import { page } from '../page.ts';
import { LIGHT, lineLook } from '../palette.ts';
import type { Node, Scene } from '../scene.ts';
import { AXIS_TITLE_DROP, acrossTitle, subtitleLine } from '../words.ts';
import type { DrawnLine } from './overlay-curves.ts';
import { OVERLAY_LEGEND_LINE, overlayLegend } from './overlay-legend.ts';
import { overlayPanel } from './overlay-panel.ts';
import { zoomTop } from './overlay-zoom.ts';

const MARGIN = 24;
const PLOT_HEIGHT = 360;
const PANEL_HEIGHT = 250;
const PANEL_GAP = 60;
/** Below the last plot: the numbers and the words of the time axis. */
const FOOT = AXIS_TITLE_DROP + MARGIN - 12;
const HEADROOM = 0.1;

/** Runs laid over each other; where one dwarfs the rest, a second panel looks at the rest closely. */
export function overlayChart(data: Overlay, options: Partial<ChartOptions> = {}): Scene {
  const { title = defaultTitle(data), width = 960, theme = LIGHT } = options;
  const inner = width - 2 * MARGIN;
  // Colours go by the order given, so that a run keeps its own when another one's peak moves.
  const lines = data.lines
    .map((line, i): DrawnLine => ({ ...line, look: lineLook(theme, i) }))
    .sort((a, b) => b.peak.bytes - a.peak.bytes);
  const key = overlayLegend(lines, MARGIN, MARGIN + 64, inner, theme);
  const top = MARGIN + 64 + key.rows * OVERLAY_LEGEND_LINE;

  const whole = valueDomain(lines);
  const zoom = zoomTop(lines);
  const domains =
    zoom === null
      ? [whole]
      : [whole, { low: whole.low, high: zoom + (zoom - whole.low) * HEADROOM }];
  const gaps = (domains.length - 1) * PANEL_GAP;
  const wanted = zoom === null ? PLOT_HEIGHT : 2 * PANEL_HEIGHT;
  const height = options.height ?? top + wanted + gaps + FOOT;
  const plotHeight = Math.max(50, (height - top - gaps - FOOT) / domains.length);

  const yAxes = domains.map((domain) => mebibyteAxis(domain, Math.max(3, plotHeight / 40)));
  const left = MARGIN + 24 + Math.max(...yAxes.map(labelRoom));
  const plotWidth = Math.max(50, width - left - MARGIN - 8);
  const across = timeOf(lines, left, plotWidth);
  const higher = zoom === null ? [] : lines.filter((line) => line.peak.bytes > zoom);
  const plots = domains.map((_, i) => {
    const y = top + i * (plotHeight + PANEL_GAP);
    return { x: left, y, width: plotWidth, height: plotHeight };
  });
  const panels = domains.map((domain, i): Node[] => {
    const plot = plots[i]!;
    const lower = lines.slice(higher.length);
    const labelled = zoom === null ? lines : i === 0 ? higher : lower;
    const ringed = i === 0 ? lines : lower;
    const yAxis = yAxes[i]!;
    const shared = { edge: MARGIN, across, lines, theme };
    return overlayPanel({ ...shared, plot, domain, yAxis, ringed, labelled });
  });
  return page({ title, width, height, margin: MARGIN, theme }, [
    subtitleLine(MARGIN, MARGIN + 38, subtitle(data), inner, theme),
    ...key.nodes,
    ...panels.flat(),
    ...(zoom === null
      ? []
      : [subtitleLine(left, plots[1]!.y - 10, closerWords(higher), plotWidth, theme)]),
    acrossTitle(plots.at(-1)!, `${across.axis.unit} since the ${SINCE[data.zero]}`, theme),
  ]);
}

const SINCE: Readonly<Record<Overlay['zero'], string>> = {
  'workload start': 'workload started',
  'first sample': 'first sample',
  'recording start': 'start of each run',
  'first iteration': 'first iteration',
};

function defaultTitle({ series, lines }: Overlay): string {
  const kind = /^gpu/.test(series ?? '') ? 'GPU memory' : 'Memory';
  return `${kind} of ${lines.length === 1 ? lines[0]!.name : `${lines.length} runs`}`;
}

function subtitle({ series, lines, baseline }: Overlay): string {
  const what = series ?? [...new Set(lines.map((line) => line.series))].join(', ');
  const off = baseline === 'subtracted' && lines.some((line) => line.subtracted > 0);
  const words = seriesLabel(what);
  return `${words[0]!.toUpperCase()}${words.slice(1)}${off ? '; above the first sample of each run' : ''}`;
}

function closerWords(higher: readonly DrawnLine[]): string {
  const who = higher.length === 1 ? higher[0]!.name : `the ${higher.length} highest`;
  return `Closer: the lower runs; ${who} ${higher.length === 1 ? 'goes' : 'go'} on above`;
}

/** From zero, or below it where a run ended lower than it began. */
function valueDomain(lines: readonly DrawnLine[]): Domain {
  let [low, high] = [0, 1];
  for (const { bytes } of lines) {
    for (const value of bytes) {
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  return { low, high: high + (high - low) * HEADROOM };
}

function timeOf(lines: readonly DrawnLine[], left: number, width: number): Across {
  const first = Math.min(...lines.map(({ seconds }) => seconds[0]!));
  const last = Math.max(...lines.map(({ seconds }) => seconds[seconds.length - 1]!));
  return timeAcross(around(first, last), left, width);
}
