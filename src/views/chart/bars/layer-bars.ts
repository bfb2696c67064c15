import { scaleLinear } from 'd3-scale';
import type { LayerSum, ModelLayers } from '../../../analyses/layers/index.ts';
import { formatBytes } from '../../../base/bytes.ts';
import { count } from '../../../base/text.ts';
import { formatDuration } from '../../../base/time.ts';
import { kindName } from '../../../model/memory-kinds.ts';
import { processWords, whenWords } from '../../report/layers.ts';
import { byteAxis } from '../axes.ts';
import { TICK_SIZE } from '../frame.ts';
import { LEGEND_LINE, legend } from '../legend.ts';
import { kindColor, LIGHT } from '../palette.ts';
import type { Box, Node, Scene } from '../scene.ts';
import { subtitleLine, text, xAxisTitle } from '../text-nodes.ts';
import { fitText, textWidth } from '../text-width.ts';
import type { ChartOptions } from '../titled-scene.ts';
import { titledScene } from '../titled-scene.ts';

/** As high as the layers need. */
type LayerBarsOptions = Omit<ChartOptions, 'height'>;

const MARGIN = 24;
const ROW = 26;
const BAR = 17;
const NAME_SIZE = 12;
const LONGEST_NAME = 260;
const AXIS_DROP = 40;
/** Layers that have a bar of their own; all others share one. */
const MOST_LAYERS = 30;

/** Bytes of each layer, stacked by kind, the largest first. */
export function layerBarsChart(model: ModelLayers, options: LayerBarsOptions): Scene {
  const { title, width = 960, theme = LIGHT } = options;
  const inner = width - 2 * MARGIN;
  const bars = shownLayers(model.layers);
  const kinds = model.totals
    .map(({ kind }) => kind)
    .filter((kind) => bars.some((bar) => (bar.kinds[kind] ?? 0) > 0));
  const color = (kind: string) => kindColor(theme, kind);
  const items = kinds.map((kind) => ({
    label: `${kindName(kind)} · ${formatBytes(sum(bars, kind))}`,
    color: color(kind),
  }));
  const key = legend(items, MARGIN, MARGIN + 64, inner, false, theme);
  const top = MARGIN + 64 + key.lines * LEGEND_LINE + 4;
  const names = Math.min(
    LONGEST_NAME,
    Math.max(0, ...bars.map(({ layer }) => textWidth(layer, NAME_SIZE))),
  );
  const figures = Math.max(0, ...bars.map(({ bytes }) => textWidth(formatBytes(bytes), NAME_SIZE)));
  const left = MARGIN + names + 12;
  const plot: Box = {
    x: left,
    y: top,
    width: Math.max(50, width - left - MARGIN - figures - 10),
    height: bars.length * ROW + 6,
  };
  const highest = Math.max(1, ...bars.map(({ bytes }) => bytes));
  const x = scaleLinear([0, highest], [plot.x, plot.x + plot.width]);
  const axis = byteAxis({ low: 0, high: highest }, Math.max(2, Math.floor(plot.width / 80)));
  const bottom = plot.y + plot.height;
  const nodes: Node[] = [
    subtitleLine(MARGIN, MARGIN + 37, subtitle(model), inner, theme),
    ...key.nodes,
    ...axis.major.flatMap(({ value, label }): Node[] => [
      {
        node: 'line',
        from: { x: x(value), y: plot.y },
        to: { x: x(value), y: bottom },
        stroke: { color: value === 0 ? theme.axis : theme.grid, width: 1 },
      },
      text(x(value), bottom + 17, label, TICK_SIZE, theme.muted, { anchor: 'middle' }),
    ]),
    xAxisTitle(plot, `Memory (${axis.unit})`, theme, AXIS_DROP),
  ];
  bars.forEach((bar, i) => {
    const y = plot.y + i * ROW + 4;
    const middle = y + BAR / 2 + 4;
    const name = fitText(bar.layer, LONGEST_NAME, NAME_SIZE);
    nodes.push(
      text(left - 9, middle, name, NAME_SIZE, theme.ink, { anchor: 'end' }),
      ...segments(bar, kinds, x, y, color),
      text(x(bar.bytes) + 7, middle, formatBytes(bar.bytes), NAME_SIZE, theme.muted),
    );
  });
  const height = bottom + AXIS_DROP + MARGIN;
  return titledScene({ title, width, height, margin: MARGIN, theme }, nodes);
}

function segments(
  bar: LayerSum,
  kinds: readonly string[],
  x: (bytes: number) => number,
  y: number,
  color: (kind: string) => string,
): Node[] {
  let from = 0;
  return kinds.flatMap((kind): Node[] => {
    const bytes = bar.kinds[kind] ?? 0;
    if (bytes === 0) return [];
    const start = x(from);
    from += bytes;
    return [{ node: 'rect', x: start, y, width: x(from) - start, height: BAR, fill: color(kind) }];
  });
}

/** `in no layer` is what belongs to none; the smallest share the last bar. */
function shownLayers(layers: readonly LayerSum[]): LayerSum[] {
  const named = layers.map((sum) => ({ ...sum, layer: sum.layer || 'in no layer' }));
  if (named.length <= MOST_LAYERS) return named;
  const hidden = named.slice(MOST_LAYERS - 1);
  const kinds: Record<string, number> = {};
  for (const one of hidden) {
    for (const [kind, bytes] of Object.entries(one.kinds)) {
      kinds[kind] = (kinds[kind] ?? 0) + bytes;
    }
  }
  const bytes = hidden.reduce((all, one) => all + one.bytes, 0);
  return [
    ...named.slice(0, MOST_LAYERS - 1),
    { layer: `${count(hidden.length, 'other layer')}`, bytes, kinds },
  ];
}

function subtitle(model: ModelLayers): string {
  const { at, peak, iterations } = model;
  const most = peak ? `, ${formatBytes(peak.bytes)} live at once` : '';
  const of = iterations > 1 ? `, the highest of ${iterations}` : '';
  return `${whenWords(at)} (${formatDuration(at.seconds)})${of}${most}, in ${processWords(model)}`;
}

const sum = (bars: readonly LayerSum[], kind: string) =>
  bars.reduce((all, bar) => all + (bar.kinds[kind] ?? 0), 0);
