import { expect, test } from 'vitest';
import { releases } from '../../../src/analyses/allocations/replay/releases.ts';
import { ACTION, type Action, isSegmentAction } from '../../../src/model/allocations/actions.ts';
import type { DeviceTrace } from '../../../src/model/allocations/trace.ts';

type Told = readonly [action: Action, size: number, deviceFree?: number];

/** Only what releases are told by. */
function traceOf(told: readonly Told[]): DeviceTrace {
  const actions = Uint8Array.from(told, ([action]) => ACTION[action]);
  const ooms = told.flatMap(([action, requested, deviceFree = 0], event) =>
    action === 'oom' ? [{ event, requested, deviceFree }] : [],
  );
  const segmentEvents = [...actions.keys()].filter((event) => isSegmentAction(actions[event]!));
  const sizes = Float64Array.from(told, ([, size]) => size);
  return { events: told.length, actions, sizes, ooms, segmentEvents } as unknown as DeviceTrace;
}

test('segments that go back one after the other are one call, wherever blocks of other streams come free between', () => {
  const trace = traceOf([
    ['segment_alloc', 20],
    ['alloc', 5],
    ['segment_free', 20],
    ['free_completed', 5],
    ['segment_free', 2],
    ['alloc', 5],
    ['free_requested', 5],
    ['segment_free', 2],
  ]);
  expect(releases(trace, 4)).toEqual({ calls: [2, 7], limit: null });
});

test('a release for a request that would have gone beyond the limit is no call', () => {
  // 60 reserved and 40 free at the end: the device has 100, so that 80 and 30 more did not fit.
  const trace = traceOf([
    ['segment_alloc', 80],
    ['segment_free', 50],
    ['free_completed', 1],
    ['segment_alloc', 30],
    ['alloc', 1],
    ['segment_free', 30],
    ['segment_alloc', 30],
    ['oom', 50, 40],
  ]);
  expect(releases(trace, 0)).toEqual({ calls: [5], limit: { bytes: 100, by: 'device' } });
});
