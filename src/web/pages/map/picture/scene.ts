import { type Across, across, type View } from './across.ts';
import { GROUNDS, type Ground, rowColors } from './colors.ts';
import type { MapData } from './data.ts';
import { type Filter, shownRows } from './filter.ts';
import { type Heights, heights } from './heights.ts';
import { LiveIndex } from './live.ts';

/** All that a picture of the map needs besides the view. */
export interface Scene {
  readonly data: MapData;
  readonly live: LiveIndex;
  readonly shown: Uint8Array | null;
  readonly heights: Heights;
  readonly ground: Ground;
  readonly colorOf: (row: number) => number;
  across(axis: View['axis']): Across;
}

export function makeScene(data: MapData, filter: Filter, ground: Ground, known?: Scene): Scene {
  const live = known?.data === data ? known.live : new LiveIndex(data);
  const shown = shownRows(data, filter);
  const axes = { time: across(data, 'time'), events: across(data, 'events') };
  return {
    data,
    live,
    shown,
    heights: heights(data, shown),
    ground,
    colorOf: rowColors(data, ground),
    across: (axis) => axes[axis],
  };
}

/** The same with one allocation that stands out. */
export function withChosen(scene: Scene, chosen: number): Scene {
  if (chosen < 0) return scene;
  const { colorOf, ground } = scene;
  const color = GROUNDS[ground].chosen;
  return { ...scene, colorOf: (row) => (row === chosen ? color : colorOf(row)) };
}

/** The whole trace. */
export function wholeView(scene: Scene, order: View['order'], axis: View['axis']): View {
  const high = order === 'address' ? scene.data.header.heightBytes : scene.heights.most * 1.04;
  return { order, axis, x0: 0, x1: scene.across(axis).length, y0: 0, y1: Math.max(1, high) };
}
