import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeInput } from '../../src/formats/input.ts';
import { memoryTimeline } from '../../src/formats/torch-profiler/timeline.ts';
import { profilerTrace } from '../../src/formats/torch-profiler/trace.ts';
import { CPU_DEVICE } from '../../src/model/allocations/actions.ts';
import { curve, summary } from '../../src/model/allocations/curve.ts';
import { tagText } from '../../src/model/allocations/names.ts';
import { traces } from '../../src/model/allocations/trace.ts';
import { openInput } from '../../src/open/open.ts';
import { SHARED, whereShared } from '../support/shared.ts';

const TRACE = 'test/fixtures/formats/torch-profiler/torch-2.11/trace.json';
const TIMELINE = 'test/fixtures/formats/torch-timeline/torch-2.11/timeline.raw.json';

interface TraceFile {
  traceEvents: { name?: string; ts: number; args: Record<string, number> }[];
}

const memoryOf = (trace: TraceFile, deviceType: number) =>
  trace.traceEvents
    .filter((event) => event.name === '[memory]' && event.args['Device Type'] === deviceType)
    .sort((a, b) => a.ts - b.ts);

const read = (text: string, pieceBytes = 1 << 20) => {
  const bytes = new TextEncoder().encode(text);
  const pieces = function* () {
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      yield bytes.slice(at, at + pieceBytes);
    }
  };
  return profilerTrace.read!(makeInput('trace.json', pieces));
};

describe("torch.profiler's trace", () => {
  const text = readFileSync(TRACE, 'utf8');
  const truth = JSON.parse(text) as TraceFile;

  it("gives the allocator's own sum after every event, on the card and on the processor", async () => {
    const devices = traces(await openInput(TRACE));
    expect(devices.map(({ device }) => device)).toEqual([0, CPU_DEVICE]);
    for (const [i, type] of [1, 0].entries()) {
      const device = devices[i]!;
      const { requested, reserved } = curve(device);
      const own = [...device.actions.keys()].filter((event) => device.actions[event]! <= 2);
      const events = memoryOf(truth, type);
      expect(own.map((event) => requested[event])).toEqual(
        events.map(({ args }) => args['Total Allocated']),
      );
      if (type === 1) {
        expect(own.map((event) => reserved[event])).toEqual(
          events.map(({ args }) => args['Total Reserved']),
        );
      }
    }
  });

  it('is the same however the file arrives', async () => {
    const whole = traces(await read(text)).map(summary);
    for (const size of [1, 7, 4096]) {
      expect(traces(await read(text, size)).map(summary)).toEqual(whole);
    }
  });

  it('makes marks of annotations', async () => {
    const recording = await openInput(TRACE);
    const names = [...recording.table('marks').u32('name')].map((id) => recording.text(id));
    expect(new Set(names)).toContain('Optimizer.step#AdamW.step');
  });

  it('reads a cut file up to the cut, and says so', async () => {
    const cut = await read(text.slice(0, Math.floor(text.length * 0.8)));
    expect(cut.run.warnings.join()).toContain('was cut');
    expect(cut.run.startedAt.slice(0, 10)).toBe('2026-11-15');
    expect(traces(cut)[0]!.events).toBeGreaterThan(50);
  });

  it('keeps all 64 bits of an address', async () => {
    const event = (bytes: number) =>
      `{"ph":"i","name":"[memory]","ts":${bytes > 0 ? 1 : 2},"args":{"Device Type":1,"Device Id":3,"Addr":18446744073709551615,"Bytes":${bytes}}}`;
    const recording = await read(`{"traceEvents":[${event(512)},${event(-512)}]}`);
    expect(recording.table('allocations').u64('address')).toEqual(
      new BigUint64Array([2n ** 64n - 1n, 2n ** 64n - 1n]),
    );
  });

  it.each([
    ['{"traceEvents":[]}', /without \[memory\] events/],
    ['{"traceEvents":[{"name":"[memory]","ts":"x"}]}', /without \[memory\] events/],
    ['{"traceEvents":', /without \[memory\] events/],
  ])('says what is missing in %s', async (bad, message) => {
    await expect(read(bad)).rejects.toThrow(message);
  });

  whereShared('torch-snapshots/public-hta-kineto-memory.json.gz')(
    'holds for a large trace of another version',
    async () => {
      const path = join(SHARED, 'torch-snapshots/public-hta-kineto-memory.json.gz');
      const [card, host] = traces(await openInput(path));
      expect(card!.events + host!.events).toBe(28_010);
      expect(summary(card!)).toMatchObject({
        peakRequested: 6_629_508_096,
        startRequested: 4_096_614_400,
        endRequested: 4_096_614_400,
        peakReserved: 12_782_141_440,
      });
    },
  );
});

describe('a raw memory timeline', () => {
  const rows = JSON.parse(readFileSync(TIMELINE, 'utf8')) as number[][];

  it('gives the sum of its rows as the peak', async () => {
    let [sum, peak] = [0, 0];
    for (const [, , bytes] of rows) {
      sum += bytes!;
      peak = Math.max(peak, sum);
    }
    const [device] = traces(await openInput(TIMELINE));
    expect(summary(device!)).toMatchObject({ peakRequested: peak, endRequested: sum });
    expect(summary(device!).peakReserved).toBeNaN();
  });

  it("keeps the profiler's category as the tag", async () => {
    const recording = await openInput(TIMELINE);
    const [device] = traces(recording);
    const tags = new Set([...device!.tags].map((tag) => tagText(recording, tag)));
    expect(tags).toContain('activation');
    expect(tags).toContain('parameter');
  });

  it('is told from the sums alone, which are no such thing', () => {
    const sums =
      '[[1794883636181066, 1794883636185644, 1794883636187163], [[0, 1], [2, 3], [4, 5]]]';
    const bytes = new TextEncoder().encode(sums);
    expect(memoryTimeline.sniff(bytes)).toBe(true);
    const input = makeInput('x.json', () => [bytes]);
    expect(() => memoryTimeline.read!(input)).toThrow(
      'x.json has only the sums of a memory timeline',
    );
  });

  it.each([
    ['[[1,2,3,4],[1,2,3]]', /entry 2/],
    ['[[1,2,3,4],[1,2,3,99]]', /entry 2/],
    ['[[1,2,3,4]', /no whole JSON/],
  ])('says where %s is wrong', (bad, message) => {
    const input = makeInput('x.raw.json', () => [new TextEncoder().encode(bad)]);
    expect(() => memoryTimeline.read!(input)).toThrow(message);
  });
});
