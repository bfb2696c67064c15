import type { SavedAnalysis, SavedCategory } from '../../../analyses/tags/saved.ts';
import { MiB } from '../../../base/bytes.ts';
import { LIGHT, type Theme } from '../palette.ts';
import type { Box, Node, Scene, TextNode } from '../scene.ts';
import { CAPTION_LINE, captionAt, captionLines, headline, text, titleLine } from '../text-nodes.ts';
import { fitText } from '../text-width.ts';
import { type ChartOptions, titledScene } from '../titled-scene.ts';
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
function droppedNote(dropped: readonly { label: string; bytes: number }[], least: number) {
  if (dropped.length === 0) return '';
  const bytes = dropped.reduce((sum, one) => sum + one.bytes, 0);
  const names = dropped.map((one) => one.label).join(', ');
  const percent = Number((least * 100).toPrecision(6));
  return `Left out, below ${percent} % each, ${(bytes / MiB).toFixed(2)} MiB together: ${names}.`;
}

const GAP = 36;
const BAR_AREA = 260;
const HEAD = 46;

/** All logs in one picture: one scale, and each category at the same place in every cell. */
export function barsGrid(files: readonly SavedAnalysis[], options: BarsOptions = {}): Scene {
  const { theme = LIGHT, leastShare = 0 } = options;
  const all = categoriesOf(files);
  const shown = all.filter(({ largestShare }) => largestShare >= leastShare);
  const dropped = all.filter(({ largestShare }) => largestShare < leastShare);
  const columns = Math.ceil(Math.sqrt(files.length));
  const rows = Math.ceil(files.length / columns);
  const cellWidth = options.width
    ? (options.width - 2 * MARGIN - GAP * (columns - 1)) / columns
    : Math.max(360, 100 + shown.length * 24);
  const width = options.width ?? 2 * MARGIN + columns * cellWidth + (columns - 1) * GAP;
  const inner = width - 2 * MARGIN;
  const names = nameRoom(shown, (cellWidth - 80) / Math.max(1, shown.length));
  const cellHeight = HEAD + BAR_AREA + names.height;
  const top = MARGIN + 40;
  const caption = captionLines(droppedNote(dropped, leastShare), inner);
  const captionTop = top + rows * (cellHeight + GAP) - 6;
  const height = captionTop + caption.length * CAPTION_LINE + MARGIN - 16;
  const highest = Math.max(0, ...files.flatMap((file) => file.categories.map((one) => one.bytes)));

  const cell = (file: SavedAnalysis, i: number): Node[] => {
    const x = MARGIN + (i % columns) * (cellWidth + GAP);
    const y = top + Math.floor(i / columns) * (cellHeight + GAP);
    const facts = `Model: ${file.model} · Total Allocation: ${(file.bytes / MiB).toFixed(2)} MiB`;
    const placed = shown.map(
      ({ category }) => file.categories.find((one) => one.category === category) ?? null,
    );
    const box = { x, y: y + HEAD, width: cellWidth, height: BAR_AREA };
    return [
      headline(x, y + 12, file.name, cellWidth, 14, theme),
      text(x, y + 31, fitText(facts, cellWidth, 12), 12, theme.muted),
      ...barsPanel(placed, box, highest, names, theme),
    ];
  };
  const title = options.title ? `Memory Profile: ${options.title}` : 'Memory Profile';
  return titledScene({ title, width, height, margin: MARGIN, theme }, [
    ...files.flatMap(cell),
    ...captionAt(MARGIN, captionTop, caption, theme),
  ]);
}

type Common = SavedCategory & { readonly largestShare: number };

/** Every category of any file, by what it takes in all of them together. */
function categoriesOf(files: readonly SavedAnalysis[]): Common[] {
  const found = new Map<string, Common>();
  for (const one of files.flatMap((file) => file.categories)) {
    const known = found.get(one.category);
    found.set(one.category, {
      ...one,
      bytes: one.bytes + (known?.bytes ?? 0),
      largestShare: Math.max(one.share, known?.largestShare ?? 0),
    });
  }
  return [...found.values()].sort((a, b) => b.bytes - a.bytes);
}
