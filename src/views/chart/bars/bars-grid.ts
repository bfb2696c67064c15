import type { SavedAnalysis, SavedCategory } from '../../../analyses/tags/saved.ts';
import { MiB } from '../../../base/bytes.ts';
import { fitText } from '../lettering.ts';
import { page } from '../page.ts';
import { LIGHT } from '../palette.ts';
import type { Node, Scene } from '../scene.ts';
import { CAPTION_LINE, captionAt, captionLines, headline, text } from '../words.ts';
import { type BarsOptions, droppedNote } from './bars.ts';
import { barsPanel, nameRoom } from './bars-panel.ts';

const MARGIN = 28;
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
  return page({ title, width, height, margin: MARGIN, theme }, [
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
