import type { TimelineMark } from '../../../analyses/timeline.ts';
import { ellipsize, printable } from '../../../base/text.ts';
import type { Theme } from '../palette.ts';
import type { Node } from '../scene.ts';
import { textWidth } from '../text-width.ts';

export const LANE_HEIGHT = 38;
const NAMES_AT = 14;
const TICKS_AT = 22;
const SIZE = 11;

/** A row of names (epochs, phases, notes, start and end) and one of ticks (iterations). */
export function markLane(
  marks: readonly TimelineMark[],
  x: (value: number) => number,
  left: number,
  width: number,
  theme: Theme,
): Node[] {
  const inside = ({ seconds }: TimelineMark) =>
    x(seconds) >= left - 1 && x(seconds) <= left + width + 1;
  const shown = marks.filter(inside);
  const iterations = shown.filter(({ kind }) => kind === 'iteration');
  const named = shown.filter(({ kind }) => kind !== 'iteration');
  return [...ticks(iterations, x, theme), ...names(named, x, left + width, theme)];
}

/** No two within a pixel and a half: a thousand iterations are a grey bar, not a thousand lines. */
function ticks(marks: readonly TimelineMark[], x: (value: number) => number, theme: Theme): Node[] {
  const nodes: Node[] = [];
  let path = '';
  let last = Number.NEGATIVE_INFINITY;
  let labelled = Number.NEGATIVE_INFINITY;
  for (const { seconds, iteration } of marks) {
    const at = x(seconds);
    if (at - last >= 1.5) {
      path += `M${at.toFixed(1)},${TICKS_AT}v5`;
      last = at;
    }
    const text = iteration === null ? '' : String(iteration);
    const wide = textWidth(text, SIZE - 1) / 2;
    if (text === '' || at - wide < labelled + 8) continue;
    nodes.push({
      node: 'text',
      text,
      x: at,
      y: TICKS_AT + 15,
      size: SIZE - 1,
      fill: theme.muted,
      anchor: 'middle',
    });
    labelled = at + wide;
  }
  if (path !== '')
    nodes.unshift({ node: 'path', d: path, stroke: { color: theme.mark, width: 1 } });
  return nodes;
}

function names(
  marks: readonly TimelineMark[],
  x: (value: number) => number,
  right: number,
  theme: Theme,
): Node[] {
  const nodes: Node[] = [];
  const taken: [number, number][] = [];
  // Where two would lie over each other, the one that says more is written.
  for (const mark of [...marks].sort((a, b) => weight(b) - weight(a))) {
    const at = x(mark.seconds);
    const color = mark.kind === 'oom' ? theme.alarm : theme.mark;
    nodes.push({
      node: 'line',
      from: { x: at, y: 4 },
      to: { x: at, y: LANE_HEIGHT - 8 },
      stroke: { color, width: mark.kind === 'oom' ? 2 : 1 },
    });
    const text = ellipsize(markWords(mark), 28);
    const wide = textWidth(text, SIZE);
    const end = at + 4 + wide + 6;
    if (end - 6 > right || taken.some(([from, to]) => at < to && end > from)) continue;
    const fill = mark.kind === 'oom' ? theme.alarm : theme.ink;
    nodes.push({ node: 'text', text, x: at + 4, y: NAMES_AT, size: SIZE, fill });
    taken.push([at, end]);
  }
  return nodes;
}

const weight = ({ kind }: TimelineMark) => (kind === 'oom' ? 2 : kind === 'epoch' ? 1 : 0);

export function markWords({ kind, name, epoch, iteration }: TimelineMark): string {
  if (kind === 'epoch' && epoch !== null) return `epoch ${epoch}`;
  if (kind === 'iteration') return iteration === null ? 'iteration' : `iteration ${iteration}`;
  if (kind === 'start' || kind === 'end') return kind;
  return printable(name || kind);
}
