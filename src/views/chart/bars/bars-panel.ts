import { scaleLinear } from 'd3-scale';
import type { SavedCategory } from '../../../analyses/tags/saved.ts';
import { type Axis, byteAxis } from '../axes.ts';
import { labelRoom, TICK_SIZE } from '../frame.ts';
import type { Theme } from '../palette.ts';
import { shade } from '../palette.ts';
import type { Box, Node } from '../scene.ts';
import { CAPTION_SIZE, type Look, text, xAxisTitle, yAxisTitle } from '../text-nodes.ts';
import { fitText, textWidth } from '../text-width.ts';

const NAME_SIZE = 12;
const WIDEST_BAR = 96;
/** A longer name is cut: it would take the place of the bars. */
const LONGEST_NAME = 190;

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
export function barsPanel(
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
  return [
    ...gridLines(axis, plot, y, theme),
    ...(title === '' ? [] : [xAxisTitle(plot, title, theme, names.height + 24)]),
    yAxisTitle(box.x, plot, axis.unit, theme),
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
  const above = (x: number, gap: number, look: Look) =>
    text(x, bottom - height - gap, percentText(share), CAPTION_SIZE, theme.muted, {
      halo: theme.background,
      ...look,
    });
  const named = names.upwards
    ? text(middle + 4, bottom + 8, fitText(name, LONGEST_NAME, NAME_SIZE), NAME_SIZE, theme.ink, {
        anchor: 'end',
        upwards: true,
      })
    : text(middle, bottom + 18, name, NAME_SIZE, theme.ink, { anchor: 'middle' });
  return [
    { node: 'rect', x: middle - width / 2, y: bottom - height, width, height, fill },
    shareUpwards ? above(middle + 4, 5, { upwards: true }) : above(middle, 6, { anchor: 'middle' }),
    named,
  ];
}

function percentText(share: number): string {
  if (share > 0 && share < 0.00005) return '< 0.01 %';
  return `${(share * 100).toFixed(share >= 0.0995 ? 1 : 2)} %`;
}

function gridLines(axis: Axis, plot: Box, y: (value: number) => number, theme: Theme): Node[] {
  const right = plot.x + plot.width;
  return axis.major.flatMap(({ value, label }): Node[] => [
    {
      node: 'line',
      from: { x: plot.x, y: y(value) },
      to: { x: right, y: y(value) },
      stroke: { color: value === 0 ? theme.axis : theme.grid, width: 1 },
    },
    text(plot.x - 9, y(value) + 4, label, TICK_SIZE, theme.muted, { anchor: 'end' }),
  ]);
}
