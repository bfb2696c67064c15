import type { TimelineMark } from '../../../analyses/timeline.ts';
import { ellipsize, printable } from '../../../base/text.ts';
import type { Theme } from '../palette.ts';
import type { Node } from '../scene.ts';
import { textWidth } from '../text-width.ts';
import { thinned } from './thin-marks.ts';

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

/** Nearer to each other, ticks are no longer counted but seen as a grey bar. */
const TICK_DISTANCE = 6;

/** Iterations at round numbers, as many as can be told apart; numbers where there is room for them. */
function ticks(marks: readonly TimelineMark[], x: (value: number) => number, theme: Theme): Node[] {
  const nodes: Node[] = [];
  const { ticks: shown } = thinned(marks, x, TICK_DISTANCE);
  const widest = Math.max(0, ...shown.map((mark) => textWidth(numberOf(mark), SIZE - 1)));
  const { ticks: labelled } = thinned(shown, x, widest + 10);
  let path = '';
  let last = Number.NEGATIVE_INFINITY;
  for (const { seconds } of shown) {
    const at = x(seconds);
    // Numbers may begin anew, and what happens at the same time is one tick.
    if (at - last < TICK_DISTANCE / 2) continue;
    path += `M${at.toFixed(1)},${TICKS_AT}v5`;
    last = at;
  }
  let free = Number.NEGATIVE_INFINITY;
  for (const mark of labelled) {
    const text = numberOf(mark);
    const [at, half] = [x(mark.seconds), textWidth(text, SIZE - 1) / 2];
    if (text === '' || at - half < free) continue;
    nodes.push({
      node: 'text',
      text,
      x: at,
      y: TICKS_AT + 15,
      size: SIZE - 1,
      fill: theme.muted,
      anchor: 'middle',
    });
    free = at + half + 8;
  }
  if (path !== '')
    nodes.unshift({ node: 'path', d: path, stroke: { color: theme.mark, width: 1 } });
  return nodes;
}

const numberOf = ({ iteration }: TimelineMark) => (iteration === null ? '' : String(iteration));

/** What is told more often than this is named once: the name again and again says nothing new. */
const MOST_SAME = 6;

function names(
  marks: readonly TimelineMark[],
  x: (value: number) => number,
  right: number,
  theme: Theme,
): Node[] {
  const nodes: Node[] = [];
  const taken: [number, number][] = [];
  const told = new Map<string, number>();
  for (const mark of marks) told.set(markWords(mark), (told.get(markWords(mark)) ?? 0) + 1);
  const said = new Set<string>();
  const unnamed: number[] = [];
  // Where two would lie over each other, the one that says more is written.
  for (const mark of [...marks].sort((a, b) => weight(b) - weight(a))) {
    const at = x(mark.seconds);
    const words = markWords(mark);
    const text = ellipsize(words, 28);
    const end = at + 4 + textWidth(text, SIZE) + 6;
    const isNews = !said.has(words) || told.get(words)! <= MOST_SAME;
    const isFree = end - 6 <= right && !taken.some(([from, to]) => at < to && end > from);
    if (mark.kind !== 'oom' && !(isNews && isFree)) {
      unnamed.push(at);
      continue;
    }
    said.add(words);
    const color = mark.kind === 'oom' ? theme.alarm : theme.mark;
    nodes.push({
      node: 'line',
      from: { x: at, y: 4 },
      to: { x: at, y: LANE_HEIGHT - 8 },
      stroke: { color, width: mark.kind === 'oom' ? 2 : 1 },
    });
    if (!isFree) continue;
    const fill = mark.kind === 'oom' ? theme.alarm : theme.ink;
    nodes.push({ node: 'text', text, x: at + 4, y: NAMES_AT, size: SIZE, fill });
    taken.push([at, end]);
  }
  return [...nodes, ...shortLines(unnamed, theme)];
}

/** Below the names, which they would cross out. */
function shortLines(places: readonly number[], theme: Theme): Node[] {
  let path = '';
  let last = Number.NEGATIVE_INFINITY;
  for (const at of [...places].sort((a, b) => a - b)) {
    if (at - last < TICK_DISTANCE) continue;
    path += `M${at.toFixed(1)},${TICKS_AT - 4}v9`;
    last = at;
  }
  return path === '' ? [] : [{ node: 'path', d: path, stroke: { color: theme.mark, width: 1 } }];
}

const weight = ({ kind }: TimelineMark) => (kind === 'oom' ? 2 : kind === 'epoch' ? 1 : 0);

export function markWords({ kind, name, epoch, iteration }: TimelineMark): string {
  if (kind === 'epoch' && epoch !== null) return `epoch ${epoch}`;
  if (kind === 'iteration') return iteration === null ? 'iteration' : `iteration ${iteration}`;
  if (kind === 'start' || kind === 'end') return kind;
  return printable(name || kind);
}
