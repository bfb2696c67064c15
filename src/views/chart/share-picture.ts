import { formatBytes } from '../../base/bytes.ts';
import { percent } from '../../base/text.ts';
import type { Account } from '../report/section.ts';
import { LEGEND_LINE, legend } from './legend.ts';
import { partColors, type Theme } from './palette.ts';
import type { Node, Scene } from './scene.ts';
import { CAPTION_LINE, captionAt, captionLines, text } from './text-nodes.ts';
import { wrapText } from './text-width.ts';

/** What stands around a chart in a picture that goes to somebody else: what happened above, what it was made of and of what it is below. */
export interface SharedWords {
  readonly headline: string;
  readonly account: Account | null;
  readonly provenance: string;
}

const MARGIN = 20;
const HEAD_SIZE = 17;
const HEAD_LINE = 24;
const MOST_LINES = 5;
const BAR = 20;
const MOST_PARTS = 8;

/** Scenes of one width, to be set below each other. */
export function sharePicture(
  { headline, account, provenance }: SharedWords,
  chart: Scene | null,
  width: number,
  theme: Theme,
): Scene[] {
  const plain = (height: number, nodes: readonly Node[]): Scene => ({
    width,
    height,
    background: theme.background,
    title: headline,
    nodes,
  });
  const wide = width - 2 * MARGIN;
  // Set in bold, which is a little wider than it is measured.
  const lines = wrapText(headline, wide * 0.94, HEAD_SIZE).slice(0, MOST_LINES);
  const head = lines.map((line, i) =>
    text(MARGIN, MARGIN + 14 + i * HEAD_LINE, line, HEAD_SIZE, theme.ink, { weight: 'semibold' }),
  );
  const bar = account ? accountBar(account, wide, theme) : { nodes: [], height: 0 };
  const caption = captionLines(provenance, wide);
  const foot = [...bar.nodes, ...captionAt(MARGIN, bar.height + CAPTION_LINE, caption, theme)];
  return [
    plain(MARGIN + lines.length * HEAD_LINE + 6, head),
    ...(chart ? [chart] : []),
    plain(bar.height + caption.length * CAPTION_LINE + MARGIN, foot),
  ];
}

/** Parts of one moment beside each other, the largest first, with their names below. */
function accountBar(
  { title, bytes, parts }: Account,
  width: number,
  theme: Theme,
): { nodes: Node[]; height: number } {
  const sorted = parts.toSorted((a, b) => b.bytes - a.bytes);
  const named = sorted.slice(0, MOST_PARTS);
  const sum = sorted.reduce((all, part) => all + part.bytes, 0);
  const whole = Math.max(bytes, sum);
  const colors = partColors(
    theme,
    named.map(({ key }) => key),
  );
  const others = sum - named.reduce((all, part) => all + part.bytes, 0);
  const shown = [
    ...named.map((part, i) => ({ ...part, color: colors[i]! })),
    ...(others > 0 ? [{ label: 'others', bytes: others, color: theme.mark }] : []),
  ];
  const top = 26;
  const nodes: Node[] = [
    text(MARGIN, 16, `${title}: ${formatBytes(bytes)}`, 13, theme.ink, { weight: 'semibold' }),
    { node: 'rect', x: MARGIN, y: top, width, height: BAR, fill: theme.grid },
  ];
  let left = MARGIN;
  for (const part of shown) {
    const wide = (part.bytes / whole) * width;
    nodes.push({
      ...{ node: 'rect', x: left, y: top, height: BAR, fill: part.color },
      width: Math.max(0.5, wide - 1),
    });
    left += wide;
  }
  const entries = shown.map(({ label, bytes: held, color }) => ({
    label: `${label.slice(0, 60)} ${formatBytes(held)}, ${percent(held / whole)}`,
    color,
  }));
  const key = legend(entries, MARGIN, top + BAR + 18, width, false, theme);
  return { nodes: [...nodes, ...key.nodes], height: top + BAR + 8 + key.lines * LEGEND_LINE + 6 };
}
