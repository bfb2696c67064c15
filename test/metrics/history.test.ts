import { describe, expect, it } from 'vitest';
import { windowsOf } from '../../src/metrics/history.ts';
import type { MetricKey } from '../../src/metrics/list.ts';
import { packedFiles } from '../../src/model/disk/pack.ts';
import { openRecording } from '../../src/model/disk/reader.ts';
import type { Recording } from '../../src/model/recording.ts';
import { series } from '../../src/model/series.ts';
import { highwater } from '../support/recorder.ts';
import { answer, startReceiver } from './support/receiver.ts';

const openPack = (path: string) => openRecording(packedFiles(path));
const largest = (values: Iterable<number>) =>
  [...values].reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);

function peak(recording: Recording, seconds: number, metric: MetricKey, card?: string): number {
  const points = [...windowsOf(recording, seconds * 1e9)].flatMap((window) => window.points);
  return largest(
    points
      .filter((one) => one.metric === metric && one.labels.card === card)
      .map((one) => one.peak!),
  );
}

describe('the windows of a finished recording', () => {
  const gpu = openPack('test/fixtures/gpu-gauntlet/concurrency.hwz');

  it.each([1, 15, 10_000])('of %d s have its peaks, of cards too', (seconds) => {
    for (const [name, metric] of [
      ['gpu0.used', 'gpuUsed'],
      ['gpu0.tree', 'gpuTree'],
    ] as const) {
      expect(peak(gpu, seconds, metric, '0'), name).toBe(largest(series(gpu, name)!.values));
    }
    expect(peak(gpu, seconds, 'hostUsed')).toBe(largest(series(gpu, 'host.used')!.values));
  });

  it('have what the recorder held itself', () => {
    const own = gpu.table('host').f64('recorder_anon');
    const points = [...windowsOf(gpu, 1e9)].flatMap((window) => window.points);
    const told = points.filter(({ metric }) => metric === 'recorder').map(({ last }) => last);
    expect(told.length).toBeGreaterThan(5);
    expect(told.at(-1)).toBe(own.findLast((bytes) => !Number.isNaN(bytes)));
  });

  it("have what torch's allocator told of itself", () => {
    const points = [...windowsOf(gpu, 1e9)].flatMap((window) => window.points);
    const torch = points.filter(({ metric }) => metric === 'torchAllocated');
    const told = largest(series(gpu, 'torch0.allocated')!.values);
    expect(largest(torch.map(({ peak: most }) => most!))).toBe(told);
    expect(torch[0]!.labels.device).toBe('0');
  });
});

describe('push to a server of metrics', () => {
  it('sends the same values at the same times, however often', async () => {
    const receiver = await startReceiver();
    for (let again = 0; again < 2; again++) {
      const run = await highwater(['push', 'test/fixtures/docs/train.hwz', receiver.url], {
        cwd: process.cwd(),
      });
      expect(run.code, run.stderr).toBe(0);
      expect(run.stderr).toMatch(/^1 run, \d+ values\n$/);
    }
    const half = receiver.taken.length / 2;
    expect(half).toBeGreaterThan(10);
    expect(receiver.taken.slice(half)).toEqual(receiver.taken.slice(0, half));
    const { run } = openPack('test/fixtures/docs/train.hwz');
    for (const { labels, timeMs } of receiver.taken) {
      expect(labels.run).toBe(run.id);
      expect(timeMs).toBeGreaterThanOrEqual(Date.parse(run.startedAt));
      expect(timeMs).toBeLessThan(Date.parse(run.endedAt!) + 1000);
    }
  });

  it('says what a server needs that takes nothing old', async () => {
    const receiver = await startReceiver(answer(400, {}, 'out of bounds\n'));
    const run = await highwater(['push', 'test/fixtures/docs/train.hwz', receiver.url], {
      cwd: process.cwd(),
    });
    expect(run.code).toBe(1);
    expect(run.stderr).toMatch(/storage\.tsdb\.out_of_order_time_window.*-retentionPeriod/);
    expect(run.stdout.toString()).toMatch(/^127\.0\.0\.1:\d+\/api\/v1\/write\n$/);
  });
});
