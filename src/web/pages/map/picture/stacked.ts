import type { MapContents } from './contents.ts';
import type { LiveWalk } from './live.ts';
import type { PixelBuffer } from './raster.ts';
import { mixed, opaque } from './raster.ts';
import { columnEvents, type View } from './x-axis.ts';

const COLUMNS_AT_A_TIME = 64;
/** Between blocks that are large enough for it a line stays free. */
const LINE_FROM = 5;
const LINE = 0.6;

/**
 * Live allocations on top of each other in the order in which they were made, sliding down as
 * others go. A column shows the moment within it at which most was live, so that no peak is lost;
 * once there are fewer events than columns, every moment is shown.
 */
export function* drawStacked(
  contents: MapContents,
  view: View,
  buffer: PixelBuffer,
): Generator<void> {
  const { width } = buffer;
  const column = new Column(buffer);
  const events = columnEvents(contents.xAxis(view.axis), view, width);
  const walk = contents.live.walkFrom(events[0]!, contents.shown);
  for (let x = 0; x < width; ) {
    let next = x + 1;
    // Columns in which nothing happens look like the one before.
    while (next < width && events[next + 1] === events[x]) next++;
    walk.to(momentOf(contents, events, x));
    pile(contents, view, column, walk);
    column.develop(x, next);
    if (Math.floor(next / COLUMNS_AT_A_TIME) > Math.floor(x / COLUMNS_AT_A_TIME)) yield;
    x = next;
  }
}

/** The event whose state a column shows. Of the states that two columns share the right one has the first only. */
export function momentOf(contents: MapContents, events: Int32Array, column: number): number {
  const from = events[column]!;
  const to = Math.max(from, events[column + 1]! - 1);
  return contents.heights.highest(from, to);
}

function pile(contents: MapContents, view: View, column: Column, { list, count }: LiveWalk): void {
  const { colorOf, data } = contents;
  const { size } = data;
  const { height } = column;
  const ky = height / (view.y1 - view.y0);
  let bottom = height + view.y0 * ky;
  for (let i = 0; i < count && bottom > 0; i++) {
    const row = list[i]!;
    const high = size[row]! * ky;
    const top = bottom - high;
    if (top < height) column.add(high >= LINE_FROM ? top + LINE : top, bottom, colorOf(row));
    bottom = top;
  }
}

/** One column of the picture: small enough to stay close to the processor while it is filled. */
class Column {
  readonly height: number;
  readonly #buffer: PixelBuffer;
  /** As in Raster. */
  readonly #sums: Float32Array;

  constructor(buffer: PixelBuffer) {
    this.#buffer = buffer;
    this.height = buffer.height;
    this.#sums = new Float32Array(4 * buffer.height);
  }

  add(top: number, bottom: number, color: number): void {
    const sums = this.#sums;
    const r = color >> 16;
    const g = (color >> 8) & 255;
    const b = color & 255;
    const y0 = Math.max(top, 0);
    const y1 = Math.min(bottom, this.height);
    for (let y = y0 | 0, at = 4 * y; y < y1; y++, at += 4) {
      const share = Math.min(y + 1, y1) - Math.max(y, y0);
      sums[at]! += share;
      sums[at + 1]! += share * r;
      sums[at + 2]! += share * g;
      sums[at + 3]! += share * b;
    }
  }

  /** Into the columns `from` up to (not including) `to`, all of which look the same. */
  develop(from: number, to: number): void {
    const { width, pixels, colors } = this.#buffer;
    const sums = this.#sums;
    const bare = opaque(colors.background);
    for (let y = 0, at = 0; y < this.height; y++, at += 4) {
      const cover = sums[at]!;
      const pixel =
        cover === 0
          ? bare
          : mixed(cover, sums[at + 1]!, sums[at + 2]!, sums[at + 3]!, colors.background);
      for (let x = y * width + from; x < y * width + to; x++) pixels[x] = pixel;
    }
    sums.fill(0);
  }
}
