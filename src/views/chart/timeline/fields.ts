import { scaleLinear } from 'd3-scale';
import type { MeminfoField, MeminfoFields } from '../../../analyses/meminfo-fields.ts';
import { formatBytes } from '../../../base/bytes.ts';
import { type Domain, timeAxis } from '../axes.ts';
import { areaPath, downsample, linePath, linesAndLonePoints } from '../downsample.ts';
import type { Scale } from '../frame.ts';
import { LIGHT, type Theme } from '../palette.ts';
import type { Box, Node, Scene } from '../scene.ts';
import {
  CAPTION_LINE,
  captionAt,
  captionLines,
  headline,
  subtitleLine,
  text,
} from '../text-nodes.ts';
import { fitText } from '../text-width.ts';
import { spanOf } from '../time-scale.ts';
import type { ChartOptions } from '../titled-scene.ts';
import { titledScene } from '../titled-scene.ts';
import { padded, valueDomain } from '../value-domain.ts';

/** As high as the fields need. */
type FieldsOptions = Omit<ChartOptions, 'height'>;

const MARGIN = 28;
const CELL = 196;
const GAP = 22;
const CHART_HEIGHT = 62;
const ROW_HEIGHT = CHART_HEIGHT + 62;

/** Small multiples: one cell a field, all over the same time, each with a range of its own. */
export function fieldsChart(data: MeminfoFields, options: FieldsOptions): Scene {
  const { title, width = 1320, theme = LIGHT } = options;
  const inner = width - 2 * MARGIN;
  const columns = Math.max(1, Math.floor((inner + GAP) / (CELL + GAP)));
  const cellWidth = (inner - GAP * (columns - 1)) / columns;
  const rows = Math.ceil(data.fields.length / columns);
  const top = MARGIN + 66;
  const caption = captionLines(notes(data), inner);
  const captionTop = top + rows * ROW_HEIGHT + 14;
  const times = spanOf(data.seconds);

  const nodes: Node[] = [
    subtitleLine(MARGIN, MARGIN + 36, 'All fields of /proc/meminfo', inner, theme),
  ];
  data.fields.forEach((field, i) => {
    const column = i % columns;
    const box = {
      x: MARGIN + column * (cellWidth + GAP),
      y: top + Math.floor(i / columns) * ROW_HEIGHT,
      width: cellWidth,
      height: CHART_HEIGHT,
    };
    const lowest = i + columns >= data.fields.length;
    nodes.push(...cell(field, data, times, box, lowest, theme));
  });
  nodes.push(...captionAt(MARGIN, captionTop, caption, theme));
  const height = captionTop + caption.length * CAPTION_LINE + MARGIN - 8;
  return titledScene({ title, width, height, margin: MARGIN, theme }, nodes);
}

function cell(
  field: MeminfoField,
  data: MeminfoFields,
  times: Domain,
  box: Box,
  lowest: boolean,
  theme: Theme,
): Node[] {
  const plot = { ...box, y: box.y + 34 };
  const bottom = plot.y + plot.height;
  // Counts of pages are small whole numbers: nothing below one is noise.
  const values = valueDomain(field.min, field.max, field.unit === 'bytes' ? undefined : 1);
  const domain = padded(values, 0.08, 0.08);
  const x = scaleLinear([times.low, times.high], [plot.x, plot.x + plot.width]);
  const y = scaleLinear([domain.low, domain.high], [bottom, plot.y]);
  const axis = timeAxis(times, 3);
  return [
    headline(box.x, box.y + 10, field.name, box.width, 12, theme),
    text(box.x, box.y + 26, fitText(range(field), box.width, 11), 11, theme.muted),
    { node: 'rect', ...plot, fill: theme.minorGrid },
    ...axis.major.map(
      ({ value }): Node => ({
        node: 'line',
        from: { x: x(value), y: plot.y },
        to: { x: x(value), y: bottom },
        stroke: { color: theme.grid, width: 1 },
      }),
    ),
    {
      node: 'group',
      clip: plot,
      children: curve(field, data.seconds, x, y, values.zeroBased ? bottom : null, theme),
    },
    {
      node: 'line',
      from: { x: plot.x, y: bottom },
      to: { x: plot.x + plot.width, y: bottom },
      stroke: values.zeroBased
        ? { color: theme.ink, width: 1 }
        : { color: theme.axis, width: 1, dash: [2, 3] },
    },
    ...(lowest
      ? axis.major.map(
          ({ value, label }): Node =>
            text(x(value), bottom + 15, label, 11, theme.muted, { anchor: 'middle' }),
        )
      : []),
  ];
}

function curve(
  field: MeminfoField,
  seconds: Float64Array,
  x: Scale,
  y: Scale,
  base: number | null,
  theme: Theme,
): Node[] {
  const color = theme.series[0]!;
  const runs = downsample(seconds, field.values, x, y);
  const { lone } = linesAndLonePoints(runs);
  return [
    ...(base === null
      ? []
      : [{ node: 'path', d: areaPath(runs, base), fill: color, opacity: 0.12 } as const]),
    { node: 'path', d: linePath(runs), stroke: { color, width: 1.4 } },
    ...(lone.length > 0
      ? [{ node: 'dots', at: lone, radius: 2, fill: color, opacity: 1 } as const]
      : []),
  ];
}

function range({ unit, min, max }: MeminfoField): string {
  const show = unit === 'bytes' ? formatBytes : (value: number) => `${value} pages`;
  if (min === max) return `always ${show(min)}`;
  // Two figures that read the same would hide that there was a change.
  if (show(min) === show(max) && unit === 'bytes')
    return `${show(min)}, varies by ${formatBytes(max - min)}`;
  return `${show(min)} to ${show(max)}`;
}

function notes(data: MeminfoFields): string {
  const unit = timeAxis(spanOf(data.seconds), 3).unit.toLowerCase();
  const since = data.origin === 'workload start' ? 'workload' : 'recording';
  const zero = data.zero.length > 0 ? ` Zero throughout: ${data.zero.join(', ')}.` : '';
  return (
    `Across: ${unit} since the ${since} started. A solid base line is zero; above a dotted one the range is zoomed in, ` +
    `to no less than 1 % of the level.${zero}`
  );
}
