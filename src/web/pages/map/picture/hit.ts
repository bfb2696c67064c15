import type { MapContents } from './contents.ts';
import { momentOf } from './stacked.ts';
import { columnEvents, eventNumber, type View } from './x-axis.ts';

export interface Hit {
  /** -1: nothing is there. */
  readonly row: number;
  /** The state after this event is what that place shows. */
  readonly event: number;
  /** Bytes live then, of what is shown. */
  readonly liveBytes: number;
}

/** What lies under a place, in pixels from the top left; of several in one pixel the one that fills most of it. */
export function hitAt(
  contents: MapContents,
  view: View,
  { x, y, width, height }: { x: number; y: number; width: number; height: number },
): Hit {
  const step = (view.x1 - view.x0) / width;
  const column = {
    ...view,
    x0: view.x0 + Math.floor(x) * step,
    x1: view.x0 + (Math.floor(x) + 1) * step,
  };
  const events = columnEvents(contents.xAxis(view.axis), column, 1);
  const event = momentOf(contents, events, 0);
  const perPixel = (view.y1 - view.y0) / height;
  const high = view.y1 - Math.floor(y) * perPixel;
  const low = high - perPixel;
  const row =
    view.order === 'stacked'
      ? inStack(contents, event, low, high)
      : atAddress(contents, events, event, low, high);
  return {
    row,
    event: eventNumber(contents.data, event),
    liveBytes: contents.heights.bytes[event] ?? 0,
  };
}

function inStack(contents: MapContents, event: number, low: number, high: number): number {
  const { size } = contents.data;
  const walk = contents.live.walkFrom(event, contents.shown);
  const fullest = new Fullest(low, high);
  let bottom = 0;
  for (let i = 0; i < walk.count && bottom < high; i++) {
    const row = walk.list[i]!;
    fullest.try(row, bottom, size[row]!);
    bottom += size[row]!;
  }
  return fullest.row;
}

/** Those live at the column's moment first; else any that came and went within the column. */
function atAddress(
  { data, shown, live }: MapContents,
  events: Int32Array,
  event: number,
  low: number,
  high: number,
): number {
  const { size, place, offset, start, header } = data;
  const fullest = new Fullest(low, high);
  const look = (row: number) => fullest.try(row, offset[place[row]!]!, size[row]!);
  const walk = live.walkFrom(event, shown);
  for (let i = 0; i < walk.count; i++) look(walk.list[i]!);
  if (fullest.row >= 0) return fullest.row;
  const from = live.walkFrom(events[0]!, shown);
  for (let i = 0; i < from.count; i++) look(from.list[i]!);
  for (let row = from.next; row < header.allocs && start[row]! <= events[1]!; row++) {
    if (!shown || shown[row] === 1) look(row);
  }
  return fullest.row;
}

/** Of all that are tried, the row that fills most of a range; -1: none touches it. */
class Fullest {
  row = -1;
  #share = 0;
  readonly #low: number;
  readonly #high: number;

  constructor(low: number, high: number) {
    this.#low = low;
    this.#high = high;
  }

  try(row: number, from: number, size: number): void {
    const share = Math.min(from + size, this.#high) - Math.max(from, this.#low);
    if (!(share > this.#share)) return;
    this.row = row;
    this.#share = share;
  }
}
