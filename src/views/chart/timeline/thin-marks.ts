import type { TimelineMark } from '../../../analyses/timeline.ts';
import type { Scale } from '../frame.ts';

/** All of them, or every 2nd, 5th, 10th …, whatever leaves them so many pixels apart. */
export function thinned(
  marks: readonly TimelineMark[],
  x: Scale,
  distance: number,
): { readonly ticks: readonly TimelineMark[]; readonly every: number } {
  const first = marks[0];
  const last = marks.at(-1);
  if (!first || !last) return { ticks: [], every: 1 };
  const room = Math.max(1, (x(last.seconds) - x(first.seconds)) / distance);
  const numbered = (mark: TimelineMark) => (mark.kind === 'epoch' ? mark.epoch : mark.iteration);
  // By number, not by row: a logger may tell each hundredth iteration only.
  for (let n = 0, every = 1; n < 40; n++) {
    const ticks = marks.filter((mark, row) => (numbered(mark) ?? row) % every === 0);
    if (ticks.length <= room + 1) return { ticks, every };
    every = [2, 5, 10][n % 3]! * 10 ** Math.floor(n / 3);
  }
  return { ticks: [], every: 1 };
}
