import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseConf } from '../../../src/analyses/allocations/replay/conf.ts';
import type { Limit } from '../../../src/analyses/allocations/replay/heap.ts';
import { replay } from '../../../src/analyses/allocations/replay/replay.ts';
import { GiB, MiB } from '../../../src/base/bytes.ts';
import { curve } from '../../../src/model/allocations/curve.ts';
import { programsOf, SNAPSHOTS } from './programs.ts';

const FILES = [
  'what-if/lstm_varlen.pickle.gz',
  'what-if/prefetch.pickle.gz',
  'what-if/streams.pickle.gz',
  // One that ran out of memory, and one with much from before its trace.
  'training/gpt_oom.pickle.gz',
  'training/gpt_overflowed.pickle.gz',
];
const SETTINGS = [
  'default',
  'expandable_segments:True',
  'roundup_power2_divisions:4',
  'max_split_size_mb:64',
  'garbage_collection_threshold:0.6',
];
const LIMITS: readonly (Limit | null)[] = [
  null,
  { bytes: 1.6 * GiB, by: 'fraction' },
  { bytes: GiB, by: 'device' },
  { bytes: 64 * MiB, by: 'device' },
];

const most = (values: Float64Array) => values.reduce((high, value) => Math.max(high, value), 0);

describe('the curve of a replay', () => {
  it.each(FILES)('of %s reaches the peak under each setting and limit', async (name) => {
    for (const program of await programsOf(join(SNAPSHOTS, name))) {
      // Without anything from before both are the same.
      const before = program.start.segments.length > 0;
      for (const start of before ? (['placed', 'packed'] as const) : (['placed'] as const)) {
        for (const limit of LIMITS) {
          for (const setting of SETTINGS) {
            const options = { conf: parseConf(setting), limit, start };
            const { curve: kept, ...rest } = replay(program, { ...options, keepCurve: true });
            const what = `${setting} ${limit?.bytes} ${start}`;
            expect(most(kept!.reserved), what).toBe(rest.reservedPeakBytes);
            const retries = kept!.retries.reduce((sum, one) => sum + one, 0);
            if (rest.diesAt !== -1) expect(retries, what).toBe(rest.retries);
            expect(kept!.reserved.length).toBeLessThanOrEqual(1500);
            // It ends where the program does.
            const last = Math.max(rest.diesAt ?? program.events - 1, 0);
            expect(kept!.reserved.length, what).toBe(Math.floor(last / kept!.stretch) + 1);
            const at = Math.floor(Math.max(rest.peakEvent, 0) / kept!.stretch);
            expect(kept!.reserved[at], what).toBe(rest.reservedPeakBytes);
            // To keep it changes nothing.
            const { curve: none, ...same } = replay(program, options);
            expect(none).toBeNull();
            expect(same, what).toEqual(rest);
          }
        }
      }
    }
  });

  it('of the recorded settings is the recorded curve, stretch by stretch', async () => {
    const [program] = await programsOf(join(SNAPSHOTS, 'what-if/lstm_varlen.pickle.gz'));
    const { curve: kept } = replay(program!, {
      ...{ conf: parseConf('default'), limit: null, start: 'placed', keepCurve: true },
    });
    const { reserved } = curve(program!.trace);
    const { stretch } = kept!;
    // The recorded allocator fetches within the event before the one that asked: a stretch may begin between the two.
    for (let at = 0; at < kept!.reserved.length; at++) {
      const part = reserved.subarray(Math.max(0, at * stretch - 1), (at + 1) * stretch + 1);
      expect(part).toContain(kept!.reserved[at]);
    }
  });
});
