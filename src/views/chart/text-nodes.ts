import type { Origin } from '../../model/origin.ts';
import type { Theme } from './palette.ts';
import type { Box, TextNode } from './scene.ts';
import { fitText, wrapText } from './text-width.ts';

const TITLE_SIZE = 17;
const SUBTITLE_SIZE = 12.5;
export const AXIS_TITLE_SIZE = 13;
export const CAPTION_SIZE = 11;
export const CAPTION_LINE = 16;
/** From a plot down to the words of the axis below it, past the numbers. */
export const AXIS_TITLE_DROP = 44;

export type Look = Partial<Pick<TextNode, 'weight' | 'anchor' | 'upwards' | 'halo'>>;

export const text = (
  x: number,
  y: number,
  words: string,
  size: number,
  fill: string,
  look: Look = {},
): TextNode => ({ node: 'text', x, y, text: words, size, fill, ...look });

/** A chart's title, cut where it is wider than the picture. */
export const titleLine = (x: number, y: number, words: string, width: number, theme: Theme) =>
  headline(x, y, words, width, TITLE_SIZE, theme);

/** Words in bold over a picture or a part of it. */
export const headline = (
  x: number,
  y: number,
  words: string,
  width: number,
  size: number,
  theme: Theme,
): TextNode => {
  const fitting = fitText(words, width, size, 'semibold');
  return text(x, y, fitting, size, theme.ink, { weight: 'semibold' });
};

/** Plain words below a title. */
export const subtitleLine = (x: number, y: number, words: string, width: number, theme: Theme) =>
  text(x, y, fitText(words, width, SUBTITLE_SIZE), SUBTITLE_SIZE, theme.muted);

/** What the numbers below a plot count. */
export function xAxisTitle(
  plot: Box,
  words: string,
  theme: Theme,
  drop = AXIS_TITLE_DROP,
): TextNode {
  const [x, y] = [plot.x + plot.width / 2, plot.y + plot.height + drop];
  return text(x, y, words, AXIS_TITLE_SIZE, theme.ink, { anchor: 'middle' });
}

/** What the numbers left of a plot count, read upwards at the edge of its box. */
export function yAxisTitle(
  edge: number,
  plot: Box,
  unit: string,
  theme: Theme,
  what = 'Memory',
): TextNode {
  const look = { anchor: 'middle', upwards: true } as const;
  const y = plot.y + plot.height / 2;
  return text(edge + 11, y, `${what} (${unit})`, AXIS_TITLE_SIZE, theme.ink, look);
}

const SINCE: Readonly<Record<Origin['is'], string>> = {
  'workload start': 'workload started',
  'first sample': 'recording started',
  'recording start': 'recording started',
};

/** `Seconds since the workload started`. */
export const sinceWords = (unit: string, origin: Origin['is']) =>
  `${unit} since the ${SINCE[origin]}`;

export const captionLines = (words: string, width: number) => wrapText(words, width, CAPTION_SIZE);

/** Fine print from `y` down. */
export const captionAt = (x: number, y: number, lines: readonly string[], theme: Theme) =>
  lines.map((words, i) => text(x, y + i * CAPTION_LINE, words, CAPTION_SIZE, theme.muted));

/** Height below a plot that the words of its axis and a caption take. */
export const footRoom = (caption: readonly string[]) =>
  AXIS_TITLE_DROP + (caption.length > 0 ? 8 + caption.length * CAPTION_LINE : 0);

/** A caption below the words of a plot's axis. */
export const captionBelow = (plot: Box, x: number, lines: readonly string[], theme: Theme) =>
  captionAt(x, plot.y + plot.height + AXIS_TITLE_DROP + 12 + CAPTION_LINE, lines, theme);
