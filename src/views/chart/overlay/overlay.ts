import type { RunOverlay } from '../../../analyses/overlay.ts';
import { formatMiB } from '../../../base/bytes.ts';
import { formatDuration } from '../../../base/time.ts';
import { seriesLabel } from '../../../model/series-label.ts';
import { type Domain, mebibyteAxis } from '../axes.ts';
import { labelRoom } from '../frame.ts';
import { LIGHT, lineLook, type Theme } from '../palette.ts';
import type { Node, Scene } from '../scene.ts';
import { AXIS_TITLE_DROP, subtitleLine, xAxisTitle } from '../text-nodes.ts';
import { fitText, textWidth } from '../text-width.ts';
import { paddedSpan, type TimeScale, timeScale } from '../time-scale.ts';
import type { ChartOptions } from '../titled-scene.ts';
import { titledScene } from '../titled-scene.ts';
import { type DrawnLine, overlayPanel } from './overlay-panel.ts';

const MARGIN = 24;
const PLOT_HEIGHT = 360;
const PANEL_HEIGHT = 250;
const PANEL_GAP = 60;
/** Below the last plot: the numbers and the words of the time axis. */
const FOOT = AXIS_TITLE_DROP + MARGIN - 12;
const HEADROOM = 0.1;

/** Runs laid over each other; where one dwarfs the rest, a second panel looks at the rest closely. */
export function overlayChart(data: RunOverlay, options: Partial<ChartOptions> = {}): Scene {
  const { title = defaultTitle(data), width = 960, theme = LIGHT } = options;
  const inner = width - 2 * MARGIN;
  // Colours go by the order given, so that a run keeps its own when another one's peak moves.
  const lines = data.lines
    .map((line, i): DrawnLine => ({ ...line, look: lineLook(theme, i) }))
    .sort((a, b) => b.peak.bytes - a.peak.bytes);
  const key = overlayLegend(lines, MARGIN, MARGIN + 64, inner, theme);
  const top = MARGIN + 64 + key.rows * LEGEND_LINE;

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
  const time = timeOf(lines, left, plotWidth);
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
    const shared = { edge: MARGIN, time, lines, theme };
    return overlayPanel({ ...shared, plot, domain, yAxis, ringed, labelled });
  });
  return titledScene({ title, width, height, margin: MARGIN, theme }, [
    subtitleLine(MARGIN, MARGIN + 38, subtitle(data), inner, theme),
    ...key.nodes,
    ...panels.flat(),
    ...(zoom === null
      ? []
      : [subtitleLine(left, plots[1]!.y - 10, closerWords(higher), plotWidth, theme)]),
    xAxisTitle(plots.at(-1)!, `${time.axis.unit} since the ${SINCE[data.zero]}`, theme),
  ]);
}

const SINCE: Readonly<Record<RunOverlay['zero'], string>> = {
  'workload start': 'workload started',
  'first sample': 'first sample',
  'recording start': 'start of each run',
  'first iteration': 'first iteration',
  'first rise': 'first rise of each run',
};

function defaultTitle({ series, lines }: RunOverlay): string {
  const kind = /^gpu/.test(series ?? '') ? 'GPU memory' : 'Memory';
  return `${kind} of ${lines.length === 1 ? lines[0]!.name : `${lines.length} runs`}`;
}

function subtitle({ series, lines, baseline, range }: RunOverlay): string {
  const what = series ?? [...new Set(lines.map((line) => line.series))].join(', ');
  const off = baseline === 'subtracted' && lines.some((line) => line.subtracted > 0);
  const words = seriesLabel(what);
  const above = off ? '; above the first sample of each run' : '';
  const part = range ? '; a part of each run, peaks are those within it' : '';
  return `${words[0]!.toUpperCase()}${words.slice(1)}${above}${part}`;
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

function timeOf(lines: readonly DrawnLine[], left: number, width: number): TimeScale {
  const first = Math.min(...lines.map(({ seconds }) => seconds[0]!));
  const last = Math.max(...lines.map(({ seconds }) => seconds[seconds.length - 1]!));
  return timeScale(paddedSpan(first, last), left, width);
}

/** Where two neighbours in the order of peaks differ by this, the lower ones are hard to read. */
const DWARFED = 3;

/**
 * Up to where a second, closer panel looks: the highest peak below the widest gap between peaks;
 * null where one panel shows all of them well.
 */
function zoomTop(lines: readonly { readonly peak: { readonly bytes: number } }[]): number | null {
  const peaks = lines.map(({ peak }) => peak.bytes).sort((a, b) => b - a);
  let widest = DWARFED;
  let top: number | null = null;
  for (const [i, below] of peaks.slice(1).entries()) {
    if (below > 0 && peaks[i]! / below >= widest) [widest, top] = [peaks[i]! / below, below];
  }
  return top;
}

const LEGEND_LINE = 20;

const LEGEND_SIZE = 12.5;
const LEGEND_SWATCH = 24;
const LEGEND_GAP = 8;
const LEGEND_BETWEEN = 28;
/** Beyond this a legend would be longer than the chart. */
const MOST_IN_LEGEND = 24;

/** Names with their peaks in columns, read downwards, in the order given: the highest first. */
function overlayLegend(
  lines: readonly DrawnLine[],
  x: number,
  y: number,
  width: number,
  theme: Theme,
): { nodes: Node[]; rows: number } {
  const shown = lines.slice(0, MOST_IN_LEGEND);
  const labels = shown.map(({ name, peak }) =>
    fitText(
      `${name}: peak ${formatMiB(peak.bytes)} at ${formatDuration(peak.seconds)}`,
      width - 40,
      LEGEND_SIZE,
    ),
  );
  const widest =
    LEGEND_SWATCH + LEGEND_GAP + Math.max(...labels.map((label) => textWidth(label, LEGEND_SIZE)));
  const columns = Math.max(1, Math.floor((width + LEGEND_BETWEEN) / (widest + LEGEND_BETWEEN)));
  const rows = Math.ceil(shown.length / columns);
  const nodes = shown.flatMap(({ look }, i): Node[] => {
    const left = x + Math.floor(i / rows) * (widest + LEGEND_BETWEEN);
    const base = y + (i % rows) * LEGEND_LINE;
    return [
      {
        node: 'line',
        from: { x: left, y: base - 4.5 },
        to: { x: left + LEGEND_SWATCH, y: base - 4.5 },
        stroke: { color: look.color, width: 2.5, dash: look.dash },
      },
      {
        node: 'text',
        x: left + LEGEND_SWATCH + LEGEND_GAP,
        y: base,
        text: labels[i]!,
        size: LEGEND_SIZE,
        fill: theme.ink,
      },
    ];
  });
  if (lines.length === shown.length) return { nodes, rows };
  const more = `and ${lines.length - shown.length} more, all of them with lower peaks`;
  const base = y + rows * LEGEND_LINE;
  nodes.push({ node: 'text', x, y: base, text: more, size: LEGEND_SIZE, fill: theme.muted });
  return { nodes, rows: rows + 1 };
}
