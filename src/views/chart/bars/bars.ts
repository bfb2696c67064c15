import type { SavedAnalysis } from '../../../analyses/tags/saved.ts';
import { MiB } from '../../../base/bytes.ts';
import { fitText } from '../lettering.ts';
import type { ChartOptions } from '../options.ts';
import { LIGHT, type Theme } from '../palette.ts';
import type { Box, Scene, TextNode } from '../scene.ts';
import { CAPTION_LINE, captionAt, captionLines, headline, text, titleLine } from '../words.ts';
import { barsPanel, nameRoom } from './bars-panel.ts';

export interface BarsOptions extends Partial<ChartOptions> {
  /** Categories with a smaller share are left out, and named below the bars. */
  readonly leastShare?: number;
}

const MARGIN = 28;

/** Bytes of each category of one log, largest first. */
export function barsChart(data: SavedAnalysis, options: BarsOptions = {}): Scene {
  const { theme = LIGHT, leastShare = 0 } = options;
  const shown = data.categories.filter(({ share }) => share >= leastShare);
  const dropped = data.categories.filter(({ share }) => share < leastShare);
  const width = options.width ?? Math.max(720, 150 + shown.length * 46);
  const inner = width - 2 * MARGIN;
  const head = heading(data, options.title, inner, theme);
  const names = nameRoom(shown, (inner - 70) / Math.max(1, shown.length));
  const caption = captionLines(droppedNote(dropped, leastShare), inner);
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
      ...barsPanel(shown, bars, highest, names, theme, 'Categories'),
      ...captionAt(MARGIN, captionTop, caption, theme),
    ],
  };
}

/** `Memory Profile`, the title if any, the model and the total, a line each. */
function heading(data: SavedAnalysis, title: string | undefined, width: number, theme: Theme) {
  const lines: TextNode[] = [];
  let y = MARGIN + 12;
  const add = (line: TextNode, gap: number) => {
    lines.push(line);
    y += gap;
  };
  const fact = (words: string) => text(MARGIN, y, fitText(words, width, 13), 13, theme.muted);
  add(titleLine(MARGIN, y, 'Memory Profile', width, theme), 24);
  if (title) add(headline(MARGIN, y, title, width, 15, theme), 22);
  add(fact(`Model: ${data.model}`), 19);
  add(fact(`Total Allocation: ${(data.bytes / MiB).toFixed(2)} MiB`), 19);
  return { nodes: lines, height: y + 14 };
}

/** What -f left out, so that nobody misses it. */
export function droppedNote(dropped: readonly { label: string; bytes: number }[], least: number) {
  if (dropped.length === 0) return '';
  const bytes = dropped.reduce((sum, one) => sum + one.bytes, 0);
  const names = dropped.map((one) => one.label).join(', ');
  const percent = Number((least * 100).toPrecision(6));
  return `Left out, below ${percent} % each, ${(bytes / MiB).toFixed(2)} MiB together: ${names}.`;
}
