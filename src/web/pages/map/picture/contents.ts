import { type ColorScheme, rowColors, SCHEME_COLORS } from './colors.ts';
import type { MapData } from './data.ts';
import { type Filter, shownRows } from './filter.ts';
import { LiveIndex } from './live.ts';
import { type View, type XAxis, xAxisOf } from './x-axis.ts';

/** All that a picture of the map needs besides the view. */
export interface MapContents {
  readonly data: MapData;
  readonly live: LiveIndex;
  readonly shown: Uint8Array | null;
  readonly heights: Heights;
  readonly scheme: ColorScheme;
  readonly colorOf: (row: number) => number;
  xAxis(axis: View['axis']): XAxis;
}

export function makeContents(
  data: MapData,
  filter: Filter,
  scheme: ColorScheme,
  known?: MapContents,
): MapContents {
  const live = known?.data === data ? known.live : new LiveIndex(data);
  const shown = shownRows(data, filter);
  const axes = { time: xAxisOf(data, 'time'), events: xAxisOf(data, 'events') };
  return {
    data,
    live,
    shown,
    heights: heights(data, shown),
    scheme,
    colorOf: rowColors(data, scheme),
    xAxis: (axis) => axes[axis],
  };
}

/** The same with one allocation that stands out. */
export function withChosen(contents: MapContents, chosen: number): MapContents {
  if (chosen < 0) return contents;
  const { colorOf, scheme } = contents;
  const color = SCHEME_COLORS[scheme].chosen;
  return { ...contents, colorOf: (row) => (row === chosen ? color : colorOf(row)) };
}

/** The whole trace. */
export function wholeView(contents: MapContents, order: View['order'], axis: View['axis']): View {
  const high =
    order === 'address' ? contents.data.header.heightBytes : contents.heights.most * 1.04;
  return { order, axis, x0: 0, x1: contents.xAxis(axis).length, y0: 0, y1: Math.max(1, high) };
}

/** Bytes live after each event, of those rows that are shown, and where they were highest. */
interface Heights {
  /** By event. */
  readonly bytes: Float64Array;
  readonly most: number;
  /** The event in `from` … `to`, both included, after which most was live. */
  highest(from: number, to: number): number;
}

const BLOCK = 256;

function heights(data: MapData, shown: Uint8Array | null): Heights {
  const { rows, start, end, size, header } = data;
  const { events } = header;
  const bytes = new Float64Array(Math.max(1, events));
  for (let row = 0; row < rows; row++) {
    if (shown && shown[row] === 0) continue;
    const from = Math.max(0, start[row]!);
    // Gone in the moment it came: its neighbours in time never see it.
    if (end[row]! <= from) continue;
    bytes[from]! += size[row]!;
    if (end[row]! < events) bytes[end[row]!]! -= size[row]!;
  }
  for (let event = 1; event < events; event++) bytes[event]! += bytes[event - 1]!;
  const tops = new Int32Array(Math.ceil(bytes.length / BLOCK));
  for (let block = 0; block < tops.length; block++) {
    tops[block] = top(bytes, block * BLOCK, Math.min((block + 1) * BLOCK, bytes.length) - 1);
  }
  const most = bytes[topOf(bytes, tops, 0, bytes.length - 1)]!;
  return { bytes, most, highest: (from, to) => topOf(bytes, tops, from, to) };
}

function topOf(bytes: Float64Array, tops: Int32Array, from: number, to: number): number {
  const [first, last] = [Math.ceil(from / BLOCK), Math.floor((to + 1) / BLOCK)];
  if (last <= first) return top(bytes, from, to);
  let best = top(bytes, from, first * BLOCK - 1);
  for (let block = first; block < last; block++) {
    if (best < 0 || bytes[tops[block]!]! > bytes[best]!) best = tops[block]!;
  }
  const rest = top(bytes, last * BLOCK, to);
  return rest >= 0 && bytes[rest]! > bytes[best]! ? rest : best;
}

function top(bytes: Float64Array, from: number, to: number): number {
  let best = from <= to ? from : -1;
  for (let event = from + 1; event <= to; event++) {
    if (bytes[event]! > bytes[best]!) best = event;
  }
  return best;
}
