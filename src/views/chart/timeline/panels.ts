import { type ScaleLinear, scaleLinear } from 'd3-scale';
import { curveLinear, curveStepAfter, line as lineShape } from 'd3-shape';
import type { PanelPeak, Panels, TimelinePanel } from '../../../analyses/panels/panel.ts';
import { count } from '../../../base/text.ts';
import { type Axis, byteAxis, type Domain, multiples, percentAxis, timeAxis } from '../axes.ts';
import { axisLabels, grid } from '../frame.ts';
import type { KeyEntry } from '../legend.ts';
import type { Theme } from '../palette.ts';
import { type PlacedPeak, placePeak } from '../peak-mark.ts';
import { marksWords, peakWords, stepWords, timeWords } from '../peak-words.ts';
import type { Box, Node, Scene } from '../scene.ts';
import { stackedAreas } from '../stacked-areas.ts';
import { text } from '../text-nodes.ts';
import { LANE_HEIGHT, markLane } from './mark-lane.ts';
import { limitNodes, panelKey, valuesOf, valueWords } from './panel-frame.ts';
import { bySteps, STEP_END } from './panel-steps.ts';

export interface PanelsOptions {
  readonly title: string;
  readonly width: number;
  /** Of each panel with its title. */
  readonly panelHeight: number;
  readonly theme: Theme;
  readonly domain: Domain;
  /** Axes reach from the lowest to the highest that is shown, not from zero to the highest ever. */
  readonly fit?: boolean;
  /** Colour of the k-th part of a panel. */
  look(panel: TimelinePanel, key: string, place: number): { color: string; label: string };
}

/** A picture, and the scales that lead from a pointer back to its data. */
export interface PanelsChart {
  readonly scene: Scene;
  readonly x: ScaleLinear<number, number>;
  readonly left: number;
  readonly right: number;
  readonly plots: readonly {
    /** As it is drawn. */
    readonly panel: TimelinePanel;
    readonly box: Box;
    readonly y: ScaleLinear<number, number>;
    readonly entries: readonly KeyEntry[];
    /** null where it has none in sight. */
    readonly peak: PlacedPeak | null;
  }[];
}

const LEFT = 76;
const RIGHT = 14;
const TITLE = 24;
const GAP = 10;
const FOOT = 40;
/** Of a panel that shows no memory, as a share of the others. */
const BESIDE = 0.55;
const LEAST_HEIGHT = 90;

/** Panels below each other over one axis, with what happened when above them. */
export function panelsChart(data: Panels, options: PanelsOptions): PanelsChart {
  const { width, theme, domain, title, panelHeight } = options;
  const plotWidth = Math.max(60, width - LEFT - RIGHT);
  const x = scaleLinear([domain.low, domain.high], [LEFT, LEFT + plotWidth]);
  const xAxis = acrossAxis(data, domain, plotWidth);
  const lane = data.marks.length > 0 ? LANE_HEIGHT : 0;
  const nodes: Node[] = lane > 0 ? markLane(data.marks, x, LEFT, plotWidth, theme) : [];
  const plots: PanelsChart['plots'][number][] = [];
  let top = lane;
  for (const [i, given] of data.panels.entries()) {
    const panel = bySteps(given, domain, plotWidth);
    const last = i === data.panels.length - 1;
    const tall = heightOf(panel, panelHeight);
    const box: Box = { x: LEFT, y: top + TITLE, width: plotWidth, height: tall - TITLE };
    const drawn = panelNodes(panel, box, x, xAxis, last, data.clock, options);
    nodes.push(...drawn.nodes);
    plots.push({ panel, box, y: drawn.y, entries: drawn.entries, peak: drawn.peak });
    top += tall + GAP;
  }
  const height = top - GAP + FOOT;
  const words = data.clock === 'event' ? 'Events' : sinceWords(xAxis.unit, data.origin);
  nodes.push({
    node: 'text',
    text: words,
    x: LEFT + plotWidth / 2,
    y: height - 4,
    size: 12,
    fill: theme.muted,
    anchor: 'middle',
  });
  const scene = { width, height, background: theme.background, title, nodes };
  return { scene, x, left: LEFT, right: LEFT + plotWidth, plots };
}

/** What stands beside the memory is smaller than it. */
const heightOf = ({ unit }: TimelinePanel, panelHeight: number) =>
  unit ? Math.max(LEAST_HEIGHT, Math.round(panelHeight * BESIDE)) : panelHeight;

const sinceWords = (unit: string, origin: Panels['origin']) => `${unit} since the ${origin}`;

function acrossAxis({ clock }: Panels, domain: Domain, width: number): Axis {
  const most = Math.max(2, Math.floor(width / 90));
  if (clock === 'time') return timeAxis(domain, most);
  const rough = (domain.high - domain.low) / most;
  const decade = 10 ** Math.floor(Math.log10(Math.max(1, rough)));
  const step = [1, 2, 5, 10].map((n) => n * decade).find((n) => n >= rough) ?? decade;
  const label = (value: number) => value.toLocaleString('en-US');
  const major = multiples(domain.low, domain.high, step).map((value) => ({
    value,
    label: label(value),
  }));
  return { unit: 'Events', major, minor: [] };
}

function panelNodes(
  panel: TimelinePanel,
  box: Box,
  x: ScaleLinear<number, number>,
  xAxis: Axis,
  last: boolean,
  clock: Panels['clock'],
  options: PanelsOptions,
): Omit<PanelsChart['plots'][number], 'panel' | 'box'> & { nodes: Node[] } {
  const { theme, look, domain, fit = false } = options;
  const values = valuesOf(panel, fit, domain, box.height);
  const most = Math.max(2, Math.floor(box.height / 34));
  const yAxis = panel.unit ? percentAxis(values, most) : byteAxis(values, most);
  const y = scaleLinear([values.low, values.high], [box.y + box.height, box.y]);
  const bands = (panel.stack?.bands ?? []).map((band, i) => ({
    ...band,
    ...look(panel, band.key, i),
  }));
  const lines = panel.lines.map((line, i) => ({
    ...line,
    ...look(panel, line.series, bands.length + i),
  }));
  const curves: Node[] = [
    ...(panel.stack ? stackedAreas(panel.stack.x, bands, x, y, panel.steps) : []),
    ...lines.map((line) => lineNode(line, x, y, box.width, panel.steps)),
  ];
  const limit = limitNodes(panel, values, box, y, theme);
  const { nodes: key, entries } = panelKey(panel.title, [...bands, ...lines], box, theme);
  const bare: Axis = last ? xAxis : { ...xAxis, major: [] };
  const peak = placedPeak(panel, box, x, y, clock, theme);
  return {
    entries,
    y,
    peak,
    nodes: [
      ...grid(box, xAxis, yAxis, x, y, theme),
      { node: 'group', clip: box, children: curves },
      ...limit,
      ...axisLabels(box, bare, { ...yAxis, major: withUnit(yAxis) }, x, y, theme),
      ...key,
      ...stepEndWords(panel, box, y, theme),
      ...(peak?.nodes ?? []),
    ],
  };
}

/** What the line of ends is, upon it: it is the line that tells a leak. */
function stepEndWords(
  { lines }: TimelinePanel,
  box: Box,
  y: (value: number) => number,
  theme: Theme,
): Node[] {
  const ends = lines.find(({ series }) => series === STEP_END);
  if (!ends) return [];
  const middle = ends.bytes[ends.bytes.length >> 1]!;
  const look = { anchor: 'end', halo: theme.background } as const;
  return [text(box.x + box.width - 6, y(middle) - 6, STEP_END, 11.5, theme.ink, look)];
}

/** Where there are more samples than columns, each stands in the middle of its own: a lone peak is a whole pixel. */
function lineNode(
  line: { readonly color: string; readonly x: Float64Array; readonly bytes: Float64Array },
  x: (value: number) => number,
  y: (value: number) => number,
  width: number,
  steps: boolean,
): Node {
  const { color, x: xs, bytes } = line;
  const dense = xs.length > width;
  const path = lineShape<number>(
    (i) => (dense ? Math.floor(x(xs[i]!)) + 0.5 : x(xs[i]!)),
    (i) => y(bytes[i]!),
  )
    .defined((i) => !Number.isNaN(bytes[i]!))
    .curve(steps ? curveStepAfter : curveLinear)
    .digits(1);
  return { node: 'path', d: path(indices(xs.length)) ?? '', stroke: { color, width: 1.6 } };
}

function placedPeak(
  panel: TimelinePanel,
  box: Box,
  x: (value: number) => number,
  y: (value: number) => number,
  clock: Panels['clock'],
  theme: Theme,
): PlacedPeak | null {
  const { peak } = panel;
  if (!peak) return null;
  // A column is drawn as a whole: the ring stands over its middle.
  const at = { x: Math.floor(x(peak.x)) + 0.5, y: y(peak.value) };
  if (at.x < box.x || at.x > box.x + box.width + 1 || at.y < box.y - 1) return null;
  return placePeak({ at, words: panelPeakWords(panel, peak, clock), color: theme.ink }, box, theme);
}

/** `peak 8.07 GiB · step 3, backward`; by the recording's marks, or by the clock, where no trace tells. */
export function panelPeakWords(
  panel: Pick<TimelinePanel, 'unit'>,
  { x, value, by, moment, marks }: PanelPeak,
  clock: Panels['clock'],
): string {
  const when = clock === 'event' ? `event ${x.toLocaleString('en-US')}` : timeWords(x);
  const where = (moment && stepWords(moment)) || marksWords(marks) || when;
  const source = by === 'kernel' ? ', by the kernel' : '';
  return `${peakWords(valueWords(panel, value), where)}${source}`;
}

const indices = (length: number) => Array.from({ length }, (_, i) => i);

/** The unit stands with the topmost number: there is no room for a title beside each panel. */
function withUnit({ major, unit }: Axis): Axis['major'] {
  return major.map((tick, i) =>
    i === major.length - 1 ? { ...tick, label: `${tick.label} ${unit}` } : tick,
  );
}

/** For readers who cannot see it. */
export const panelsTitle = ({ panels }: Panels): string =>
  `Memory over time in ${count(panels.length, 'panel')}: ${panels
    .map((panel) => `${panel.title}, at most ${valueWords(panel, panel.highest)}`)
    .join('; ')}`;
