import { describe, expect, it } from 'vitest';
import { report } from '../../src/analyses/report.ts';
import { openInput } from '../../src/open/open.ts';
import { reportText } from '../../src/views/report/text.ts';

const LOG = 'test/fixtures/formats/mxnet-log/0.12/sockeye.log';

describe('the report on a log of tagged allocations', () => {
  it('goes by the tags, and calls a sum a sum', async () => {
    const [first] = reportText(report(await openInput(LOG))).split('\n');
    expect(first).toBe(
      '23.6 MiB allocated in all on GPU 0, as frees have no size: ' +
        '51 % workspaces, 25 % parameters, 17 % gradients, 6 % activations.',
    );
  });

  it('takes nothing for known that no tag tells, and guesses no passes', async () => {
    const [device] = report(await openInput(LOG)).devices;
    expect(device!.categories.find(({ category }) => category === 'unknown')?.bytes).toBe(600);
    expect(device!.categories.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(
      device!.peakRequestedBytes,
    );
    expect(device!.peakMoment.phase).toBeNull();
  });

  it("takes a profiler's own category for it", async () => {
    const timeline = 'test/fixtures/formats/torch-timeline/torch-2.11/timeline.raw.json';
    const [device] = report(await openInput(timeline)).devices;
    const activations = device!.categories.find(({ category }) => category === 'activation');
    expect(activations?.reason).toBe('its tag says so');
  });
});
