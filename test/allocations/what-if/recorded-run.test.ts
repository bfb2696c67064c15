import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SHARED, whereShared } from '../../support/shared.ts';
import { reproduced, SNAPSHOTS, snapshotsIn } from './programs.ts';

/** Of another allocator: its rules differ. */
const NPU = [
  'public-msd_snapshot_expandable.pickle.gz',
  'public-msd_snapshot_with_multi_devices.pickle.gz',
];
/** Three million events: bench/what-if.ts looks at it. */
const LARGE = 'h200-encoder_big.pickle.gz';

describe('the recorded run, replayed', () => {
  it.each(snapshotsIn(SNAPSHOTS))('%s: every cudaMalloc and the peak', async (name) => {
    for (const run of await reproduced(join(SNAPSHOTS, name))) {
      expect(run.replayed.fetched!.length).toBe(run.deviceAllocs);
      expect(run.sameDeviceAllocs).toBe(run.deviceAllocs);
      expect(run.replayed.reservedPeakBytes).toBe(run.reservedPeakBytes);
      expect(run.exact).toBe(true);
    }
  });

  for (const folder of ['torch-snapshots', 'what-if']) {
    whereShared(folder)(`is the same in all of ${folder} but those of an NPU`, async () => {
      const differing: string[] = [];
      for (const name of snapshotsIn(join(SHARED, folder))) {
        if (name === LARGE) continue;
        const runs = await reproduced(join(SHARED, folder, name));
        if (runs.some(({ exact }) => !exact)) differing.push(name);
      }
      expect(differing).toEqual(folder === 'what-if' ? [] : NPU);
    });
  }
});
