import { scaleLinear } from 'd3-scale';
import type { SavedAnalysis, SavedCategory } from '../../analyses/tags/saved.ts';
import { MiB } from '../../base/bytes.ts';
import { type Axis, byteAxis } from './axes.ts';
import { labelRoom, TICK_SIZE } from './frame.ts';
import { fitText, textWidth, wrapText } from './lettering.ts';
import { LIGHT, type Theme } from './palette.ts';
import type { Box, Node, Scene, TextNode } from './scene.ts';
import { shade } from './shade.ts';

export interface BarsOptions {
  readonly title?: string;
  /** Categories with a smaller share are left out, and named below the bars. */
  readonly leastShare?: number;
  readonly width?: number;
  readonly height?: number;
  readonly theme?: Theme;
}

const MARGIN = 28;
const NAME_SIZE = 12;
const CAPTION_SIZE = 11;
const CAPTION_LINE = 16;
const WIDEST_BAR = 96;
/** A longer name is cut: it would take the place of the bars. */
const LONGEST_NAME = 190;

/** Bytes of each category of one log, largest first. */
export function barsChart(data: SavedAnalysis, options: BarsOptions = {}): Scene {
  const { theme = LIGHT, leastShare = 0 } = options;
  const shown = data.categories.filter(({ share }) => share >= leastShare);
  const dropped = data.categories.filter(({ share }) => share < leastShare);
  const width = options.width ?? Math.max(720, 150 + shown.length * 46);
  const inner = width - 2 * MARGIN;
  const head = heading(data, options.title, inner, theme);
  const names = nameRoom(shown, (inner - 70) / Math.max(1, shown.length));
  const caption = wrapText(droppedNote(dropped, leastShare), inner, CAPTION_SIZE);
  const below = names.height + 34 + caption.length * CAPTION_LINE + MARGIN - 12;
  const height = options.height ?? head.height + 340 + below;
  const bars: Box = {
    x: MARGIN,
    y: head.height,
    width: inner,
    height: height - head.height - below,
  };
  const highest = Math.max(0, ...shown.map(({ bytes }) => bytes));
  const captionTop = height - MARGIN + 12 - (caption.length - 1) * CAPTION_LINE;
  return {
    width,
    height,
    background: theme.background,
    title: `Memory profile of ${data.name}`,
    nodes: [
      ...head.nodes,
      ...panel(shown, bars, highest, names, theme, 'Categories'),
      ...caption.map((words, i) =>
        label(MARGIN, captionTop + i * CAPTION_LINE, words, theme.muted, { size: CAPTION_SIZE }),
      ),
    ],
  };
}

/** `Memory Profile`, the title if any, the model and the total, a line each. */
function heading(data: SavedAnalysis, title: string | undefined, width: number, theme: Theme) {
  const lines: TextNode[] = [];
  let y = MARGIN + 12;
  const add = (text: string, size: number, semibold: boolean, gap: number) => {
    const weight = semibold ? 'semibold' : 'regular';
    const fill = semibold ? theme.ink : theme.muted;
    lines.push(label(MARGIN, y, fitText(text, width, size, weight), fill, { size, weight }));
    y += gap;
  };
  add('Memory Profile', 17, true, 24);
  if (title) add(title, 15, true, 22);
  add(`Model: ${data.model}`, 13, false, 19);
  add(`Total Allocation: ${(data.bytes / MiB).toFixed(2)} MiB`, 13, false, 19);
  return { nodes: lines, height: y + 14 };
}

export interface Names {
  readonly upwards: boolean;
  readonly height: number;
}

/** Names stand below their bars: lying where all fit, else upright. */
export function nameRoom(shown: readonly SavedCategory[], slot: number): Names {
  const widest = Math.max(0, ...shown.map((one) => textWidth(one.label, NAME_SIZE)));
  if (widest <= slot - 6) return { upwards: false, height: 22 };
  return { upwards: true, height: Math.min(widest, LONGEST_NAME) + 14 };
}

/** Bars over a byte axis, with the share of each above it. */
export function panel(
  shown: readonly (SavedCategory | null)[],
  box: Box,
  highest: number,
  names: Names,
  theme: Theme,
  title = '',
): Node[] {
  const axis = byteAxis({ low: 0, high: highest > 0 ? highest : 1 }, Math.max(3, box.height / 50));
  const left = 24 + labelRoom(axis);
  const plot = { x: box.x + left, y: box.y, width: box.width - left, height: box.height };
  const slot = plot.width / Math.max(1, shown.length);
  const widest = textWidth('100.0 %', CAPTION_SIZE);
  const shareUpwards = slot < widest + 2;
  const y = scaleLinear(
    [0, highest > 0 ? highest : 1],
    [plot.y + plot.height, plot.y + (shareUpwards ? widest + 10 : 22)],
  );
  const below = plot.y + plot.height + names.height + 24;
  return [
    ...gridLines(axis, plot, y, theme),
    ...(title === ''
      ? []
      : [label(plot.x + plot.width / 2, below, title, theme.ink, { size: 13, anchor: 'middle' })]),
    label(box.x + 11, plot.y + plot.height / 2, `Memory (${axis.unit})`, theme.ink, {
      size: 13,
      anchor: 'middle',
      upwards: true,
    }),
    ...shown.flatMap((one, i) => {
      if (!one) return [];
      const middle = plot.x + (i + 0.5) * slot;
      const width = Math.min(WIDEST_BAR, slot * 0.72);
      return bar(
        one,
        middle,
        width,
        plot.y + plot.height,
        y(one.bytes),
        names,
        shareUpwards,
        theme,
      );
    }),
  ];
}

function bar(
  { label: name, bytes, share, place }: SavedCategory,
  middle: number,
  width: number,
  bottom: number,
  top: number,
  names: Names,
  shareUpwards: boolean,
  theme: Theme,
): Node[] {
  const fill = shade(theme, place);
  // A sliver shows that there is something, however little.
  const height = bytes > 0 ? Math.max(1, bottom - top) : 0;
  const percent = percentText(share);
  const halo = theme.background;
  const named = names.upwards
    ? label(middle + 4, bottom + 8, fitText(name, LONGEST_NAME, NAME_SIZE), theme.ink, {
        size: NAME_SIZE,
        anchor: 'end',
        upwards: true,
      })
    : label(middle, bottom + 18, name, theme.ink, { size: NAME_SIZE, anchor: 'middle' });
  return [
    { node: 'rect', x: middle - width / 2, y: bottom - height, width, height, fill },
    shareUpwards
      ? label(middle + 4, bottom - height - 5, percent, theme.muted, { upwards: true, halo })
      : label(middle, bottom - height - 6, percent, theme.muted, { anchor: 'middle', halo }),
    named,
  ];
}

function percentText(share: number): string {
  if (share > 0 && share < 0.00005) return '< 0.01 %';
  return `${(share * 100).toFixed(share >= 0.0995 ? 1 : 2)} %`;
}

function gridLines(axis: Axis, plot: Box, y: (value: number) => number, theme: Theme): Node[] {
  const right = plot.x + plot.width;
  return axis.major.flatMap(({ value, label: text }): Node[] => [
    {
      node: 'line',
      from: { x: plot.x, y: y(value) },
      to: { x: right, y: y(value) },
      stroke: { color: value === 0 ? theme.axis : theme.grid, width: 1 },
    },
    label(plot.x - 9, y(value) + 4, text, theme.muted, { size: TICK_SIZE, anchor: 'end' }),
  ]);
}

/** What -f left out, so that nobody misses it. */
export function droppedNote(dropped: readonly { label: string; bytes: number }[], least: number) {
  if (dropped.length === 0) return '';
  const bytes = dropped.reduce((sum, one) => sum + one.bytes, 0);
  const names = dropped.map((one) => one.label).join(', ');
  const percent = Number((least * 100).toPrecision(6));
  return `Left out, below ${percent} % each, ${(bytes / MiB).toFixed(2)} MiB together: ${names}.`;
}

export function label(
  x: number,
  y: number,
  text: string,
  fill: string,
  more: Partial<Omit<TextNode, 'node' | 'x' | 'y' | 'text' | 'fill'>> = {},
): TextNode {
  return { node: 'text', x, y, text, size: CAPTION_SIZE, fill, ...more };
}
