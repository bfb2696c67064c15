import { describe, expect, it } from 'vitest';
import { meminfoFields } from '../../src/analyses/meminfo-fields.ts';
import { report } from '../../src/analyses/report.ts';
import { defaultSeries, timeline } from '../../src/analyses/timeline.ts';
import { MiB } from '../../src/base/bytes.ts';
import { withGaps } from '../../src/model/gaps.ts';
import { drawRecording } from './drawn.ts';

describe('timeline', () => {
  it("takes the recorder's own memory off the host's, and says so", () => {
    const recording = drawRecording({
      at: [0, 1, 2],
      host: { MemTotal: [100, 100, 100], MemAvailable: [60, null, 40], recorder_anon: [5, 5, 10] },
    });
    const [line] = timeline(recording, ['host.used']).lines;
    expect([...line!.bytes]).toEqual([35 * MiB, 50 * MiB]);
    expect([...line!.seconds]).toEqual([0, 2]);
    expect(line!.recorderSubtracted).toBe(true);
    expect(line!.peak).toEqual({ bytes: 50 * MiB, seconds: 2 });
  });

  it('leaves imported values as they are', () => {
    const recording = drawRecording({ at: [0, 1], host: { used: [60, 70] } });
    const [line] = timeline(recording, ['host.used']).lines;
    expect(line).toMatchObject({ recorderSubtracted: false, peak: { bytes: 70 * MiB } });
  });

  it('names the series that are there when asked for one that is not', () => {
    const recording = drawRecording({ at: [0], host: { used: [1] } });
    expect(() => timeline(recording, ['tree.pss'])).toThrow(
      "this recording has no series 'tree.pss'",
    );
  });

  it('draws the whole machine beside the tree only where the tree is a good part of it', () => {
    const series = (available: number) =>
      defaultSeries(
        report(
          drawRecording({
            at: [0],
            host: { MemTotal: [10_000], MemAvailable: [available] },
            processes: [{ pid: 1, rss: [500], pss: [400] }],
          }),
        ),
      );
    expect(series(9_000)).toEqual(['tree.pss', 'host.used']);
    expect(series(5_000)).toEqual(['tree.pss']);
  });
});

describe('gaps', () => {
  const gaps = (times: number[]) => {
    const series = {
      name: 's',
      times: Float64Array.from(times),
      values: new Float64Array(times.length).fill(1),
    };
    return [...withGaps(series).values].filter(Number.isNaN).length;
  };
  const ticks = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);

  it('breaks a line where nothing was sampled for long', () => {
    expect(gaps([...ticks(0, 100), ...ticks(150, 250)])).toBe(1);
    expect(gaps(ticks(0, 200))).toBe(0);
  });

  it('does not break the wide steps of a folded stretch', () => {
    const folded = Array.from({ length: 30 }, (_, i) => i * 100);
    expect(gaps([...folded, ...ticks(3000, 4000)])).toBe(0);
  });

  it('stands one sample and none', () => {
    expect(gaps([])).toBe(0);
    expect(gaps([1])).toBe(0);
  });
});

describe('fields', () => {
  it('keeps what the kernel told and names what was zero throughout', () => {
    const result = meminfoFields(
      drawRecording({
        at: [0, 1],
        host: {
          MemTotal: [8, 8],
          SwapTotal: [0, 0],
          Dirty: [0, 3],
          HugePages_Total: [4, 4],
          recorder_anon: [1, 1],
        },
      }),
    );
    expect(result.fields.map(({ name, unit, min, max }) => [name, unit, min, max])).toEqual([
      ['MemTotal', 'bytes', 8 * MiB, 8 * MiB],
      ['Dirty', 'bytes', 0, 3 * MiB],
      ['HugePages_Total', 'count', 4, 4],
    ]);
    expect(result.zero).toEqual(['SwapTotal']);
  });
});
