import type { MapContents } from './contents.ts';
import type { PixelBuffer } from './raster.ts';
import type { View } from './x-axis.ts';

/** After so many rows one may stop for a moment. */
const AT_A_TIME = 20_000;
/** What is thinner gets this many pixels, so that it has any colour at all. */
const THINNEST = 0.05;
/** Between blocks that are large enough for it a line stays free. */
const LINE_FROM = 5;
const LINE = 0.6;

/** Every allocation where its memory lay. Stops now and then, to be gone on with or left. */
export function* drawByAddress(
  contents: MapContents,
  view: View,
  buffer: PixelBuffer,
): Generator<void> {
  const { raster } = buffer;
  raster.clear();
  const { data, shown, colorOf } = contents;
  const { start, end, size, place, offset, reserved, header } = data;
  const { at, eventAt } = contents.xAxis(view.axis);
  const kx = raster.width / (view.x1 - view.x0);
  const ky = raster.height / (view.y1 - view.y0);
  const { height } = raster;
  for (let i = 0; i < reserved.start.length; i++) {
    const bottom = height - (reserved.offset[i]! - view.y0) * ky;
    const [left, right] = [at(reserved.start[i]!), at(reserved.end[i]!)];
    raster.markHeld(
      (left - view.x0) * kx,
      bottom - reserved.size[i]! * ky,
      (right - view.x0) * kx,
      bottom,
    );
  }
  const draw = (row: number) => {
    const low = offset[place[row]!]!;
    if (low > view.y1 || low + size[row]! < view.y0) return;
    const left = (at(start[row]!) - view.x0) * kx;
    const bottom = height - (low - view.y0) * ky;
    let wide = (at(end[row]!) - view.x0) * kx - left;
    let high = size[row]! * ky;
    if (wide < THINNEST) wide = THINNEST;
    else if (wide >= LINE_FROM) wide -= LINE;
    if (high < THINNEST) high = THINNEST;
    else if (high >= LINE_FROM) high -= LINE;
    raster.add(left, bottom - high, left + wide, bottom, colorOf(row));
  };
  const walk = contents.live.walkFrom(eventAt(view.x0), shown);
  for (let i = 0; i < walk.count; i++) draw(walk.list[i]!);
  const last = eventAt(view.x1);
  for (let row = walk.next, since = 0; row < header.allocs && start[row]! <= last; row++) {
    if (!shown || shown[row] === 1) draw(row);
    if (++since < AT_A_TIME) continue;
    since = 0;
    yield;
  }
  raster.writePixels(buffer.pixels, buffer.colors.background, buffer.colors.held);
}
