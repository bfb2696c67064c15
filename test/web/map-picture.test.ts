import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allocationMap, mapTimes } from '../../src/analyses/allocations/map/index.ts';
import { reducedMap } from '../../src/analyses/allocations/map/reduced.ts';
import { curve, summary } from '../../src/model/allocations/curve.ts';
import { lifetimes } from '../../src/model/allocations/lifetimes.ts';
import { liveRows } from '../../src/model/allocations/live.ts';
import { type DeviceTrace, traces } from '../../src/model/allocations/trace.ts';
import type { Recording } from '../../src/model/recording.ts';
import { openInput } from '../../src/open/open.ts';
import { drawByAddress } from '../../src/web/pages/map/picture/by-address.ts';
import { SCHEME_COLORS } from '../../src/web/pages/map/picture/colors.ts';
import {
  type MapContents,
  makeContents,
  wholeView,
} from '../../src/web/pages/map/picture/contents.ts';
import { mapData } from '../../src/web/pages/map/picture/data.ts';
import { hitAt } from '../../src/web/pages/map/picture/hit.ts';
import { makePixelBuffer, opaque } from '../../src/web/pages/map/picture/raster.ts';
import { drawStacked } from '../../src/web/pages/map/picture/stacked.ts';
import type { View } from '../../src/web/pages/map/picture/x-axis.ts';
import { steps as randomSteps } from './random-steps.ts';

const SNAPSHOTS = resolve('test/fixtures/snapshots');
const FILES = ['training/gpt_leak', 'training/gpt_overflowed', 'expandable', 'streams'];
const WIDTH = 300;
const HEIGHT = 200;

const known = new Map<string, Promise<Recording>>();
function opened(file: string): Promise<Recording> {
  let found = known.get(file);
  if (!found) {
    found = openInput(`${SNAPSHOTS}/${file}.pickle.gz`);
    known.set(file, found);
  }
  return found;
}

async function contentsOf(
  file: string,
  filter = {},
): Promise<{ contents: MapContents; trace: DeviceTrace }> {
  const recording = await opened(file);
  const trace = traces(recording).reduce((a, b) => (b.events > a.events ? b : a));
  const data = mapData(allocationMap(recording, trace), mapTimes(trace));
  return { contents: makeContents(data, filter, 'light'), trace };
}

function draw(contents: MapContents, view: View): Uint32Array {
  const buffer = makePixelBuffer(WIDTH, HEIGHT, 'light');
  const pieces = view.order === 'address' ? drawByAddress : drawStacked;
  for (const _ of pieces(contents, view, buffer)) {
  }
  return buffer.pixels;
}

const BARE = opaque(SCHEME_COLORS.light.background);
const HELD = opaque(SCHEME_COLORS.light.held);

describe.each(FILES)('the map of %s', (file) => {
  it('is as high after every event as the trace replayed', async () => {
    const { contents, trace } = await contentsOf(file);
    expect(contents.heights.bytes).toEqual(curve(trace).requested);
    expect(contents.heights.most).toBe(Math.max(...curve(trace).requested));
    const { peakEvent } = summary(trace);
    expect(contents.data.header.peakEvent).toBe(peakEvent);
  });

  it('knows who is live at any moment, in the order of allocation', async () => {
    const { contents, trace } = await contentsOf(file);
    for (const event of randomSteps(40, trace.events)) {
      const rows = contents.live.walkFrom(event, null).rows();
      expect([...rows].sort((a, b) => a - b)).toEqual([...liveRows(trace, event)]);
      const own = rows.filter((row) => row < lifetimes(trace).allocs);
      expect(own).toEqual(own.toSorted());
    }
  });

  it.each(['time', 'events'] as const)('loses no peak of any column over %s', async (axis) => {
    const { contents } = await contentsOf(file);
    const view = wholeView(contents, 'stacked', axis);
    const pixels = draw(contents, view);
    const { eventAt } = contents.xAxis(axis);
    for (let column = 0; column < WIDTH; column++) {
      const edge = (i: number) => eventAt(view.x0 + (i * (view.x1 - view.x0)) / WIDTH);
      const states = contents.heights.bytes.subarray(
        edge(column),
        Math.max(edge(column) + 1, edge(column + 1)),
      );
      const most = (Math.max(...states) / (view.y1 - view.y0)) * HEIGHT;
      let colored = 0;
      for (let y = 0; y < HEIGHT; y++) if (pixels[y * WIDTH + column] !== BARE) colored++;
      // A line between blocks may fall on the topmost pixel.
      expect(Math.abs(colored - most), `column ${column}`).toBeLessThanOrEqual(1.7);
    }
  });

  it('draws every allocation where its memory lay, however small', async () => {
    const { contents } = await contentsOf(file);
    const view = wholeView(contents, 'address', 'events');
    const pixels = draw(contents, view);
    const { start, end, size, place, offset, rows, header } = contents.data;
    const missing: number[] = [];
    for (let row = 0; row < rows; row++) {
      const middle = (Math.max(0, start[row]!) + Math.min(end[row]!, header.events)) / 2;
      const x = Math.min(WIDTH - 1, Math.floor((middle / view.x1) * WIDTH));
      const at = offset[place[row]!]! + size[row]! / 2;
      const y = Math.min(HEIGHT - 1, Math.floor(HEIGHT - (at / view.y1) * HEIGHT));
      const pixel = pixels[y * WIDTH + x];
      if (pixel === BARE || pixel === HELD) missing.push(row);
    }
    expect(missing).toEqual([]);
  });

  it.each(['stacked', 'address'] as const)('finds what was drawn, %s', async (order) => {
    const { contents, trace } = await contentsOf(file);
    const { size, place, offset } = contents.data;
    const all = wholeView(contents, order, 'events');
    for (const event of randomSteps(25, trace.events)) {
      // Nearer than an event a pixel, so that a place means one state.
      const view = { ...all, x0: event, x1: event + WIDTH / 4 };
      const live = [...contents.live.walkFrom(event, null).rows()];
      if (live.length === 0) continue;
      const row = live[(event * 7) % live.length]!;
      const below = live.slice(0, live.indexOf(row)).reduce((sum, one) => sum + size[one]!, 0);
      const low = order === 'stacked' ? below : offset[place[row]!]!;
      const y = HEIGHT - ((low + size[row]! / 2) / view.y1) * HEIGHT;
      const hit = hitAt(contents, view, { x: 0, y, width: WIDTH, height: HEIGHT });
      expect(hit.event).toBe(event);
      // Whatever fills most of the pixel answers: surely so where the row is higher than one.
      if (size[row]! > view.y1 / HEIGHT) expect(hit.row).toBe(row);
      else expect(live).toContain(hit.row);
    }
  });
});

describe('filters', () => {
  it('show what was asked for and nothing else', async () => {
    const filter = {
      minBytes: 4096,
      categories: ['activation', 'temporary'],
      text: 'FORWARD',
      maxLife: 5000,
    };
    const { contents } = await contentsOf('training/gpt_adam_allstacks', filter);
    const { data, shown } = contents;
    const frames = (stack: number): string[] => {
      if (stack >= data.stackParent.length) return [];
      const own = data.header.frames[data.stackFrame[stack]!]!;
      const parent = data.stackParent[stack]!;
      return parent < stack ? [own, ...frames(parent)] : [own];
    };
    const { at } = contents.xAxis('time');
    let count = 0;
    const wrong: number[] = [];
    for (let row = 0; row < data.rows; row++) {
      const { category } = data.header.reasons[data.reason[row]!]!;
      const wanted =
        data.size[row]! >= 4096 &&
        filter.categories.includes(category) &&
        frames(data.stack[row]!).some((frame) => /forward/i.test(frame)) &&
        at(data.end[row]!) - at(data.start[row]!) <= 5000;
      if ((shown![row] === 1) !== wanted) wrong.push(row);
      if (wanted) count++;
    }
    expect(wrong).toEqual([]);
    expect(count).toBeGreaterThan(10);
    expect(count).toBeLessThan(data.rows);
    expect(contents.heights.most).toBeLessThan(data.header.peakRequestedBytes);
  });
});

describe('the smaller map of a one-file report', () => {
  it('keeps the peak and the largest as they are and says what it merged', async () => {
    const recording = await opened('training/gpt_leak');
    const trace = traces(recording)[0]!;
    const whole = allocationMap(recording, trace);
    const small = reducedMap(whole, mapTimes(trace), 400);
    const data = mapData(small.map, small.times);
    const contents = makeContents(data, {}, 'light');
    const { peakEvent, peakRequested } = summary(trace);
    expect(data.header.events).toBeLessThan(trace.events);
    expect(data.number![data.header.peakEvent]).toBe(peakEvent);
    expect(contents.heights.bytes[data.header.peakEvent]).toBe(peakRequested);
    const rows = whole.arrays.start!.length;
    const merged = data.header.reasons.map(({ text }) => text.includes('merged'));
    const single = data.reason.reduce((sum, reason) => sum + (merged[reason] ? 0 : 1), 0);
    expect(single + data.header.leftOut!.allocations).toBe(rows);
    // Axes read as before.
    expect(contents.xAxis('events').length).toBe(trace.events);
    expect(contents.xAxis('time').at(data.header.events - 1)).toBeLessThanOrEqual(
      makeContents(mapData(whole, mapTimes(trace)), {}, 'light').xAxis('time').length,
    );
    draw(contents, wholeView(contents, 'address', 'time'));
  });

  it('leaves a small trace alone', async () => {
    const recording = await opened('streams');
    const trace = traces(recording)[0]!;
    const [map, times] = [allocationMap(recording, trace), mapTimes(trace)];
    expect(reducedMap(map, times)).toEqual({ map, times });
  });
});
