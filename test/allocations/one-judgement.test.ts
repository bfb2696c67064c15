import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AllocationFacts } from '../../src/analyses/allocations/allocation-facts.ts';
import { CATEGORIES, type Category } from '../../src/analyses/allocations/evidence/reasons.ts';
import { categoryOf } from '../../src/analyses/allocations/evidence/row-reasons.ts';
import type { Flame } from '../../src/analyses/allocations/flame/index.ts';
import { devices } from '../../src/analyses/allocations/index.ts';
import type { LayoutHeader } from '../../src/analyses/allocations/layout.ts';
import type { MapHeader } from '../../src/analyses/allocations/map/index.ts';
import { compare } from '../../src/analyses/compare/index.ts';
import { panelsFromColumns } from '../../src/analyses/panels/columns.ts';
import type { OpenInputs, OpenRun } from '../../src/answers/opened.ts';
import { allocation } from '../../src/answers/resources/allocation.ts';
import { flame } from '../../src/answers/resources/flame.ts';
import type { Resource } from '../../src/answers/resources/resource.ts';
import { segments } from '../../src/answers/resources/segments.ts';
import { timeline } from '../../src/answers/resources/timeline.ts';
import { trace as traceResource } from '../../src/answers/resources/trace.ts';
import { MiB } from '../../src/base/bytes.ts';
import { chromeTrace } from '../../src/formats/chrome-trace/index.ts';
import { summary } from '../../src/model/allocations/curve.ts';
import { deviceId, deviceName } from '../../src/model/allocations/device-name.ts';
import { type DeviceTrace, traces } from '../../src/model/allocations/trace.ts';
import type { Columns } from '../../src/model/columns.ts';
import type { Recording } from '../../src/model/recording.ts';
import { openInput } from '../../src/open/open.ts';
import { SHARED, whereShared } from '../support/shared.ts';
import { TRAINING } from './ground-truth.ts';

/** More than this is for the benchmarks. */
const LARGEST = MiB / 2;
/** The export thins longer traces. */
const MOST_EXPORTED = 20_000;
/** The page thins longer ones. */
const MOST_COLUMNS = 16_000;

function snapshotsIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith('.pickle.gz'))
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).size < LARGEST);
}

const own = [...snapshotsIn(join(TRAINING, '..')), ...snapshotsIn(TRAINING)].map((path) =>
  relative(TRAINING, path),
);
const openOwn = (path: string) => openInput(join(TRAINING, path));

describe('what an allocation is taken for is the same wherever it is shown', () => {
  it.each(own)('%s', async (path) => everywhereTheSame(await openOwn(path)));

  whereShared('torch-snapshots', 'what-if')('in snapshots of other programs', async () => {
    for (const folder of ['torch-snapshots', 'what-if']) {
      for (const path of snapshotsIn(join(SHARED, folder))) {
        await everywhereTheSame(await openInput(path));
      }
    }
  });

  it.each(own)('%s: whichever is asked for first', async (path) => {
    const [one, other] = [await openOwn(path), await openOwn(path)];
    const others = traces(other);
    for (const [i, trace] of traces(one).entries()) {
      const rows = rowsOf((await mapOf(one, i)).map);
      const [forward, backward] = [categoryOf(one, trace), categoryOf(other, others[i]!)];
      const reversed = rows.toReversed().map(backward).toReversed();
      expect(rows.map(forward)).toEqual(reversed);
    }
  });
});

async function everywhereTheSame(recording: Recording): Promise<void> {
  const reported = devices(recording);
  const compared = compare([
    { name: 'a', recording },
    { name: 'b', recording },
  ]).allocations!.differences;
  for (const [i, trace] of traces(recording).entries()) {
    const { map, categories } = await mapOf(recording, i);
    const rows = rowsOf(map);
    expect(rows.map(categoryOf(recording, trace)), 'export').toEqual(categories);

    const { peakEvent } = summary(trace);
    const live = rows.filter(
      (row) => at(map, 'start', row) <= peakEvent && at(map, 'end', row) > peakEvent,
    );
    const atPeak = sums(live, map, categories);
    expect(shares(reported[i]!.categories), 'report').toEqual(atPeak);
    const difference = compared.find(({ device }) => device === deviceId(trace.device))!;
    const held = difference.categories.map(({ category, bytes }) => ({ category, bytes: bytes.a }));
    expect(shares(held), 'compare').toEqual(atPeak);
    expect(await flameRoots(recording, i), 'flame').toEqual(atPeak);

    if (segments.has(opened, runOf(recording))) {
      const layout = (await ask(segments, recording, `trace=${i}`)) as Columns<LayoutHeader>;
      const { row: ids, reason } = layout.arrays;
      for (let block = 0; block < ids!.length; block++) {
        const { category } = layout.header.reasons[reason![block]!]!;
        expect(category, `segments, row ${ids![block]}`).toBe(categories[ids![block]!]);
      }
    }
    // Those from before the trace are the doubtful ones; of the others some will do.
    for (const row of rows.filter((one) => one >= map.header.allocs || one % 97 === 0)) {
      const facts = await ask(allocation, recording, `trace=${i}&row=${row}`);
      expect((facts as AllocationFacts).category, `row ${row}`).toBe(categories[row]);
    }
    const over = overTime(trace, map, categories);
    if (trace.events > 0 && trace.events <= MOST_COLUMNS) {
      const { x, bands } = await stackOf(recording, trace);
      for (const { key, bytes } of bands) {
        expect([...bytes], `timeline, ${key}`).toEqual(
          Array.from(x, (event) => over[CATEGORIES.indexOf(key as Category)]![event + 1]),
        );
      }
    }
    if (trace.events > 0 && trace.events <= MOST_EXPORTED) {
      expect(exported(recording, trace), 'chrome-trace').toEqual(changesOf(over, trace.events));
    }
  }
}

const opened = { runs: [], inputs: [], progress: () => {} } as unknown as OpenInputs;
const runOf = (recording: Recording) =>
  ({ id: '0', name: 'a', path: 'a', recording, snapshots: [] }) as unknown as OpenRun;
const ask = (resource: Resource, recording: Recording, query: string) =>
  resource.get(opened, runOf(recording), new URLSearchParams(query));

async function mapOf(recording: Recording, index: number) {
  const map = (await ask(traceResource, recording, `trace=${index}`)) as Columns<MapHeader>;
  const reasons = map.arrays.reason as Uint8Array;
  return { map, categories: Array.from(reasons, (id) => map.header.reasons[id]!.category) };
}

const rowsOf = (map: Columns<MapHeader>) => [...map.arrays.start!.keys()];
const at = (map: Columns<MapHeader>, column: string, row: number) => map.arrays[column]![row]!;

function sums(rows: readonly number[], map: Columns<MapHeader>, categories: readonly Category[]) {
  return shares(rows.map((row) => ({ category: categories[row]!, bytes: at(map, 'size', row) })));
}

/** Bytes by category, those with any. */
function shares(list: readonly { category: string; bytes: number }[]): Record<string, number> {
  const found: Record<string, number> = {};
  for (const { category, bytes } of list) found[category] = (found[category] ?? 0) + bytes;
  const some = Object.entries(found).filter(([, bytes]) => bytes > 0);
  return Object.fromEntries(some.sort(([a], [b]) => (a < b ? -1 : 1)));
}

async function flameRoots(recording: Recording, index: number) {
  const query = `trace=${index}&by=category&native=1`;
  const { parent, frame, frames, bytes } = (await ask(flame, recording, query)) as Flame;
  const roots = [...parent.keys()].filter((node) => parent[node] === -1);
  return shares(
    roots.map((node) => ({ category: frames[frame[node]!]!.function, bytes: bytes[node]! })),
  );
}

/** Bytes of each category before the first event and after each, by what the map shows. */
function overTime(trace: DeviceTrace, map: Columns<MapHeader>, categories: readonly Category[]) {
  const bytes = CATEGORIES.map(() => new Float64Array(trace.events + 2));
  for (const row of rowsOf(map)) {
    const column = bytes[CATEGORIES.indexOf(categories[row]!)]!;
    column[at(map, 'start', row) + 1]! += at(map, 'size', row);
    column[at(map, 'end', row) + 1]! -= at(map, 'size', row);
  }
  for (const column of bytes) {
    for (let event = 1; event < column.length; event++) column[event]! += column[event - 1]!;
  }
  return bytes;
}

async function stackOf(recording: Recording, trace: DeviceTrace) {
  const query = `clock=event&columns=${MOST_COLUMNS}`;
  const { panels } = panelsFromColumns((await ask(timeline, recording, query)) as Columns);
  return panels.find(({ id }) => id === `trace${deviceId(trace.device)}`)!.stack!;
}

/** Each change of what a device held, by category, as the file for Perfetto tells it. */
function exported(recording: Recording, trace: DeviceTrace): string[] {
  const text = [
    ...chromeTrace.write!(recording, { categoryOf: (one) => categoryOf(recording, one) }),
  ].join('');
  const name = `${deviceName(deviceId(trace.device))} by category`;
  const events = JSON.parse(text).traceEvents as { name: string; args: Record<string, number> }[];
  return withoutRepeats(
    events
      .filter((event) => event.name === name)
      .map(({ args }) =>
        shares(Object.entries(args).map(([category, bytes]) => ({ category, bytes }))),
      ),
  );
}

function changesOf(over: readonly Float64Array[], events: number): string[] {
  const held = (at: number) =>
    shares(CATEGORIES.map((category, i) => ({ category, bytes: over[i]![at]! })));
  return withoutRepeats(Array.from({ length: events + 1 }, (_, at) => held(at)));
}

const withoutRepeats = (list: readonly Record<string, number>[]) =>
  list.map((one) => JSON.stringify(one)).filter((one, i, all) => one !== all[i - 1]);
