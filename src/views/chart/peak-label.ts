import { formatBytes } from '../../base/bytes.ts';
import { formatDuration } from '../../base/time.ts';
import type { Scale } from './frame.ts';
import { textWidth } from './lettering.ts';
import type { Theme } from './palette.ts';
import type { Box, Node, Point } from './scene.ts';

const SIZE = 12.5;

/** Value and time above the peak; the axis keeps that room free. */
export function peakLabel(
  peak: { readonly bytes: number; readonly seconds: number },
  at: Point,
  plot: Box,
  theme: Theme,
): Node {
  const text = `peak ${formatBytes(peak.bytes)} at ${formatDuration(peak.seconds)}`;
  const half = textWidth(text, SIZE, 'semibold') / 2 + 4;
  return {
    node: 'text',
    x: Math.min(Math.max(at.x, plot.x + half), plot.x + plot.width - half),
    y: at.y - 11,
    text,
    size: SIZE,
    weight: 'semibold',
    fill: theme.ink,
    anchor: 'middle',
    halo: theme.background,
  };
}

/** The kernel saw more than any sample: its figure as a dashed level, labelled away from the peak. */
export function kernelLine(bytes: number, y: Scale, peak: Point, plot: Box, theme: Theme): Node[] {
  const right = plot.x + plot.width;
  const peakOnRight = peak.x > plot.x + plot.width / 2;
  return [
    {
      node: 'line',
      from: { x: plot.x, y: y(bytes) },
      to: { x: right, y: y(bytes) },
      stroke: { color: theme.muted, width: 1, dash: [5, 4] },
    },
    {
      node: 'text',
      x: peakOnRight ? plot.x + 8 : right - 8,
      y: y(bytes) - 6,
      text: `the kernel's own peak ${formatBytes(bytes)}`,
      size: 11.5,
      fill: theme.muted,
      anchor: peakOnRight ? 'start' : 'end',
      halo: theme.background,
    },
  ];
}
