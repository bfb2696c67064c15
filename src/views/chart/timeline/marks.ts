import type { TimelineMark } from '../../../analyses/timeline.ts';
import type { Scale } from '../frame.ts';
import type { Theme } from '../palette.ts';
import type { Box, Node } from '../scene.ts';
import { fitText, textWidth } from '../text-width.ts';
import { thinned } from './thin-marks.ts';

const SIZE = 11;
const GAP = 10;
const WIDEST = 150;
/** Iteration ticks closer than this run into a band. */
const TICK_DISTANCE = 4;
/** Labelled epochs closer than this turn the plot into a fence. */
const EPOCH_DISTANCE = 72;
export const MARK_LANE = 18;

/** What gets its label first when there is not room for all. */
const RANK = ['oom', 'start', 'end', 'note', 'epoch', 'phase'];

export interface MarkLayer {
  readonly behind: readonly Node[];
  readonly labels: readonly Node[];
  /** What the ticks along the bottom stand for; null when there are none. */
  readonly note: string | null;
}

/** Whether any mark wants a line and a label, and so the lane above the plot. */
export const hasLabels = (marks: readonly TimelineMark[]) =>
  marks.some((mark) => RANK.includes(mark.kind));

/** Labels stand above the plot, where they never cover data; fine lines lead down from them. */
export function markLayer(
  marks: readonly TimelineMark[],
  plot: Box,
  x: Scale,
  theme: Theme,
): MarkLayer {
  const inside = marks.filter(({ seconds }) => {
    const at = x(seconds);
    return at >= plot.x - 0.5 && at <= plot.x + plot.width + 0.5;
  });
  const behind: Node[] = [];
  const labels: Node[] = [];
  const iterations = inside.filter((mark) => mark.kind === 'iteration');
  const { ticks, every } = thinned(iterations, x, TICK_DISTANCE);
  for (const mark of ticks) behind.push(tick(x(mark.seconds), plot, 6, theme.mark));

  const epochs = inside.filter((mark) => mark.kind === 'epoch');
  const shownEpochs = new Set(thinned(epochs, x, EPOCH_DISTANCE).ticks);
  const ticked = new Set<number>();
  const taken: { from: number; to: number }[] = [];
  const named = inside
    .filter((mark) => RANK.includes(mark.kind))
    .sort((a, b) => RANK.indexOf(a.kind) - RANK.indexOf(b.kind) || a.seconds - b.seconds);
  for (const mark of named) {
    const at = x(mark.seconds);
    const text = fitText(markText(mark), WIDEST, SIZE);
    const half = textWidth(text, SIZE) / 2;
    const middle = Math.min(Math.max(at, plot.x + half), plot.x + plot.width - half);
    const place = { from: middle - half, to: middle + half };
    const free = taken.every((other) => place.to + GAP < other.from || place.from - GAP > other.to);
    const color = mark.kind === 'oom' ? theme.alarm : theme.mark;
    if (!free || (mark.kind === 'epoch' && !shownEpochs.has(mark))) {
      // Thousands of them on one pixel are one tick.
      if (!ticked.has(Math.round(at))) behind.push(tick(at, plot, 11, color));
      ticked.add(Math.round(at));
      continue;
    }
    taken.push(place);
    const dash = mark.kind === 'start' || mark.kind === 'end' ? undefined : [2, 3];
    behind.push({
      node: 'line',
      from: { x: at, y: plot.y - 3 },
      to: { x: at, y: plot.y + plot.height },
      stroke: { color, width: 1, dash },
    });
    const fill = mark.kind === 'oom' ? theme.alarm : theme.muted;
    labels.push({
      node: 'text',
      x: middle,
      y: plot.y - 7,
      text,
      size: SIZE,
      fill,
      anchor: 'middle',
    });
  }
  const note = ticks.length === 0 ? null : tickNote(every);
  return { behind, labels, note };
}

function tick(at: number, plot: Box, length: number, color: string): Node {
  const bottom = plot.y + plot.height;
  return {
    node: 'line',
    from: { x: at, y: bottom },
    to: { x: at, y: bottom - length },
    stroke: { color, width: 1 },
  };
}

/** What a tick stands for. */
function tickNote(every: number): string {
  const which =
    every === 1 ? 'iterations, as logged' : `every ${every}${every === 2 ? 'nd' : 'th'} iteration`;
  return `Ticks along the bottom: ${which}.`;
}

function markText({ kind, name, epoch }: TimelineMark): string {
  // Loggers differ in what they call an epoch; a bare number would not say what it counts.
  if (kind === 'epoch' && epoch !== null && /^\d*$/.test(name)) return `epoch ${epoch}`;
  if (kind === 'oom') return name.split('\n', 1)[0] || 'out of memory';
  if (kind === 'start' || kind === 'end') return kind;
  return name || kind;
}
