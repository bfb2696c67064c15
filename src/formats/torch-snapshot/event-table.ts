import { FormatError } from '../../base/errors.ts';
import { HOST_DEVICE } from '../../model/allocations/actions.ts';
import type { Batch } from '../../model/table.ts';
import type { PickleValue } from '../pickle/values.ts';
import { type EventColumns, newColumns, tableSizes, takeKinds, untagged } from './event-columns.ts';
import type { Events } from './events.ts';
import { listOf } from './lists.ts';

/** Where rows of a device's events are among all. */
export interface DeviceRows {
  readonly device: number;
  /** The list of the file that they come from. */
  readonly list: number;
  readonly start: number;
  readonly end: number;
}

/** The lists of events, by device; pinned memory of the host comes last. */
export function eventLists(
  events: Events,
  top: ReadonlyMap<string, PickleValue>,
): { device: number; list: number }[] {
  const used = new Set<number>();
  const found: { device: number; list: number }[] = [];
  const add = (device: number, value: PickleValue | undefined) => {
    const list = listOf(events, value, 'device_traces holds what is no list of events');
    if (list === null) return;
    if (used.has(list)) throw new FormatError('has one list of events twice');
    used.add(list);
    found.push({ device, list });
  };
  // A list of lists; pinned memory has no devices, and may come as one list.
  const each = (value: PickleValue | undefined): readonly PickleValue[] =>
    Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];
  for (const [device, list] of each(top.get('device_traces')).entries()) add(device, list);
  for (const list of each(top.get('host_traces'))) add(HOST_DEVICE, list);
  return found;
}

/** The events as columns in the order of the table: as they are where that is the file's order. */
export function eventColumns(
  events: Events,
  lists: readonly { device: number; list: number }[],
): { rows: number; columns: EventColumns; stretches: DeviceRows[] } {
  const stretches = lists.flatMap(({ device, list }) =>
    events.lists.stretches(list).map(({ start, end }) => ({ device, list, start, end })),
  );
  let rows = 0;
  let straight = true;
  for (const { start, end } of stretches) {
    if (start !== rows) straight = false;
    rows += end - start;
  }
  return { rows, stretches, columns: straight ? events.columns : copied(events, stretches, rows) };
}

function copied(events: Events, stretches: readonly DeviceRows[], rows: number): EventColumns {
  const columns = newColumns(rows);
  takeKinds(columns, events.columns);
  for (const name of Object.keys(columns) as (keyof EventColumns)[]) {
    const width = name === 'address' ? 2 : 1;
    let at = 0;
    for (const { start, end } of stretches) {
      columns[name].set(events.columns[name].subarray(start * width, end * width), at);
      at += (end - start) * width;
    }
  }
  return columns;
}

/** The columns of the table `allocations`. */
export function eventBatch(
  columns: EventColumns,
  stretches: readonly DeviceRows[],
  rows: number,
): Batch {
  return {
    rows,
    columns: [
      columns.time.subarray(0, rows),
      deviceColumn(stretches, rows),
      columns.pool.subarray(0, rows),
      columns.action.subarray(0, rows),
      new BigUint64Array(columns.address.buffer, columns.address.byteOffset, rows),
      tableSizes(columns, rows),
      columns.stack.subarray(0, rows),
      columns.tag.length > 0 ? columns.tag.subarray(0, rows) : untagged(rows),
    ],
  };
}

function deviceColumn(stretches: readonly DeviceRows[], rows: number): Uint32Array {
  const devices = new Uint32Array(rows);
  let at = 0;
  for (const { device, start, end } of stretches) {
    // Memory is zero to begin with: that of most snapshots, of one device, is never touched.
    if (device !== 0) devices.fill(device, at, at + end - start);
    at += end - start;
  }
  return devices;
}
