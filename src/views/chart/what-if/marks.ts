import type { Scale } from '../frame.ts';
import type { Theme } from '../palette.ts';
import type { Box, Node, Point } from '../scene.ts';
import { text } from '../text-nodes.ts';
import { fitText } from '../text-width.ts';
import type { WhatIfCurves } from './curves.ts';

const SIZE = 12;
const RING = 3.4;
/** Closer together they would be one smear. */
const LEAST_APART = 7;

/** What may be reserved. */
export function limitLine(bytes: number, plot: Box, y: Scale, theme: Theme): Node {
  return {
    node: 'line',
    from: { x: plot.x, y: y(bytes) },
    to: { x: plot.x + plot.width, y: y(bytes) },
    stroke: { color: theme.alarm, width: 1.5, dash: [6, 4] },
  };
}

/** Rings where all caches were given back, crosses where a request failed. */
export function alarmMarks(
  curves: WhatIfCurves,
  plot: Box,
  x: Scale,
  y: Scale,
  theme: Theme,
): Node[] {
  const { recorded, replayed, dies, stretch, firstEvent } = curves;
  const place = (at: number, values: Float64Array): Point => ({
    x: x(firstEvent + at * stretch),
    y: y(values[at]!),
  });
  const rings = apart(placesOf(replayed.retries).map((at) => place(at, replayed.reserved)));
  const last = replayed.reserved.length - 1;
  const end = dies && {
    x: x(firstEvent + Math.max(0, dies.event)),
    y: y(replayed.reserved[last]!),
  };
  // Where the replay dies as the recorded run did, one cross says it.
  const failed = apart(placesOf(recorded.failed).map((at) => place(at, recorded.reserved))).filter(
    (at) => !end || Math.abs(at.x - end.x) > LEAST_APART,
  );
  return [
    ...rings.map(
      (at): Node => ({
        node: 'circle',
        ...at,
        radius: RING,
        fill: theme.background,
        stroke: { color: theme.series[0]!, width: 1.8 },
      }),
    ),
    ...failed.flatMap((at) => cross(at, theme)),
    ...(failed[0] ? [label(failed[0], 'a request failed', plot, theme)] : []),
    ...(end ? [...cross(end, theme), label(end, `dies ${dies!.words}`, plot, theme)] : []),
  ];
}

const placesOf = (counts: Uint32Array) => [...counts.keys()].filter((at) => counts[at]! > 0);

function apart(points: readonly Point[]): Point[] {
  const kept: Point[] = [];
  for (const point of points) {
    if (point.x - (kept.at(-1)?.x ?? Number.NEGATIVE_INFINITY) >= LEAST_APART) kept.push(point);
  }
  return kept;
}

function cross({ x, y }: Point, theme: Theme): Node[] {
  const d = `M${x - 5},${y - 5}l10,10M${x - 5},${y + 5}l10,-10`;
  return [
    { node: 'path', d, stroke: { color: theme.background, width: 5 } },
    { node: 'path', d, stroke: { color: theme.alarm, width: 2.4 } },
  ];
}

/** Words beside a mark, on the side where there is room. */
function label(at: Point, words: string, plot: Box, theme: Theme): Node {
  const isLeft = at.x < plot.x + plot.width / 2;
  const room = isLeft ? plot.x + plot.width - at.x : at.x - plot.x;
  const y = Math.max(plot.y + SIZE, at.y - 10);
  return text(at.x + (isLeft ? 6 : -6), y, fitText(words, room - 28, SIZE), SIZE, theme.ink, {
    anchor: isLeft ? 'start' : 'end',
    halo: theme.background,
  });
}
