import { lastUpTo } from '../../../../base/search.ts';
import type { MapData } from './data.ts';

/** What the map shows: x in µs or events, y in bytes, both as in the columns. */
export interface View {
  readonly order: 'stacked' | 'address';
  readonly axis: 'time' | 'events';
  readonly x0: number;
  readonly x1: number;
  readonly y0: number;
  readonly y1: number;
}

/** The x-axis: either every event is as wide as the others, or as wide as the time until the next. */
export interface XAxis {
  /** The right end. */
  readonly length: number;
  /** Where an event stands; -1 (before the trace) at the left end, `events` at the right one. */
  at(event: number): number;
  /** The last event up to a place. */
  eventAt(x: number): number;
}

export function xAxisOf(data: MapData, axis: View['axis']): XAxis {
  const { events, allEvents } = data.header;
  const timed = axis === 'time' && data.micros !== null;
  const places = timed ? data.micros : data.number;
  if (!places) {
    return {
      length: events,
      at: (event) => Math.max(0, event),
      eventAt: (x) => Math.min(events - 1, Math.max(0, Math.floor(x))),
    };
  }
  // The last event must have a width as well, or what happens in it cannot be seen.
  const last = events > 0 ? places[events - 1]! : 0;
  const length = timed ? last + Math.max(1, last / Math.max(1, events)) : allEvents;
  return {
    length,
    at: (event) => (event < 0 ? 0 : event < events ? places[event]! : length),
    eventAt: (x) => Math.max(0, lastUpTo(places, x, events)),
  };
}

/** The number that an event has in the trace. */
export const eventNumber = ({ number }: MapData, event: number) => number?.[event] ?? event;

/** The event at the left edge of each of `width` columns, and the one at which the last column ends. */
export function columnEvents({ eventAt, length }: XAxis, view: View, width: number): Int32Array {
  const step = (view.x1 - view.x0) / width;
  const edges = Int32Array.from({ length: width + 1 }, (_, i) => eventAt(view.x0 + i * step));
  if (view.x1 >= length) edges[width]!++;
  return edges;
}
