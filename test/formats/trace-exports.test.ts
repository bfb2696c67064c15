import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { categoryOf } from '../../src/analyses/allocations/evidence/row-reasons.ts';
import { chromeTrace } from '../../src/formats/chrome-trace/index.ts';
import { collapsed } from '../../src/formats/collapsed.ts';
import { csv } from '../../src/formats/csv/index.ts';
import { parseRecord } from '../../src/formats/csv/records.ts';
import type { Format, WriteOptions } from '../../src/formats/format.ts';
import { speedscope } from '../../src/formats/speedscope.ts';
import { curve, summary } from '../../src/model/allocations/curve.ts';
import { type DeviceTrace, traces } from '../../src/model/allocations/trace.ts';
import { RecordingBuilder } from '../../src/model/builder.ts';
import type { Recording } from '../../src/model/recording.ts';
import { TIME_FROM } from '../../src/model/schema.ts';
import { openInput } from '../../src/open/open.ts';
import { type Small, smallSnapshot } from '../allocations/small-snapshot.ts';
import { gpuRun } from '../compare/runs.ts';
import { addRow } from '../support/rows.ts';
import { sampleRecording } from '../support/sample-recording.ts';

const FIXTURES = 'test/fixtures/snapshots';
const SNAPSHOTS = readdirSync(FIXTURES).filter((name) => /\.pickle\.gz$/.test(name));
const open = (name: string) => openInput(join(FIXTURES, name));

const written = (format: Format, recording: Recording, options: WriteOptions = {}) =>
  [...format.write!(recording, options)].join('');

/** A reader of its own for collapsed stacks: sums by line. */
function folded(text: string): { stack: string[]; bytes: number }[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [, stack, bytes] = /^(.+) (\d+)$/.exec(line)!;
      return { stack: stack!.split(';'), bytes: Number(bytes) };
    });
}

const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);
const peaks = (recording: Recording) =>
  traces(recording).map((trace) => summary(trace).peakRequested);

describe('collapsed stacks', () => {
  it.each(SNAPSHOTS)('of %s sum up to the peak', async (name) => {
    const recording = await open(name);
    const lines = folded(written(collapsed, recording));
    expect(sum(lines.map(({ bytes }) => bytes))).toBe(sum(peaks(recording)));
    expect(lines.every(({ stack }) => stack.every((frame) => frame !== ''))).toBe(true);
  });

  it('go from the outermost call in, and have a word for what has no stack', async () => {
    const recording = await smallSnapshot([
      { size: 50, calls: ['gone t.py:3'], freed: true },
      { size: 100, calls: ['inner a;b.py:2', '<module> t.py:1'] },
      { size: 200 },
      { size: 300, calls: [] },
      { size: 400, tag: 'conv1' },
    ]);
    expect(written(collapsed, recording).split('\n').sort()).toEqual(
      [
        '',
        '<module> (t.py:1);inner (a:b.py:2) 100',
        '[no stack was recorded] 200',
        "[autograd's thread, without frames] 300",
        'conv1 400',
      ].sort(),
    );
  });

  it('of an event or a second show what lived then', async () => {
    const recording = await open('mlp_adam5.pickle.gz');
    const trace = traces(recording)[0]!;
    const { requested } = curve(trace);
    const bytes = (options: WriteOptions) =>
      sum(folded(written(collapsed, recording, options)).map((line) => line.bytes));
    for (const event of [30, 200, trace.events - 1]) {
      expect(bytes({ at: { event } })).toBe(requested[event]);
    }
    const seconds = (trace.times[200]! - trace.times[0]!) / 1e9;
    const last = trace.times.findLastIndex((time) => time <= trace.times[200]!);
    expect(bytes({ at: { seconds } })).toBe(requested[last]);
    expect(() => written(collapsed, recording, { at: { event: 1e9 } })).toThrow(/not have that/);
  });

  it('refuse a recording without allocations', () => {
    expect(() => written(collapsed, gpuRun('x', { 0: [1] }).recording)).toThrow(
      'the recording has no allocation trace',
    );
  });
});

describe('speedscope', () => {
  it.each(SNAPSHOTS)('%s: what the published schema asks for, and the peak', async (name) => {
    const recording = await open(name);
    const file = JSON.parse(written(speedscope, recording));
    expect(file.$schema).toBe('https://www.speedscope.app/file-format-schema.json');
    for (const frame of file.shared.frames) {
      expect(Object.keys(frame).every((key) => ['name', 'file', 'line'].includes(key))).toBe(true);
      expect(typeof frame.name).toBe('string');
    }
    expect(file.profiles).toHaveLength(traces(recording).length);
    for (const [i, profile] of file.profiles.entries()) {
      expect(Object.keys(profile).sort()).toEqual(
        ['endValue', 'name', 'samples', 'startValue', 'type', 'unit', 'weights'].sort(),
      );
      expect(profile).toMatchObject({ type: 'sampled', unit: 'bytes', startValue: 0 });
      expect(profile.samples).toHaveLength(profile.weights.length);
      expect([profile.endValue, sum(profile.weights)]).toEqual([
        peaks(recording)[i],
        peaks(recording)[i],
      ]);
      for (const frame of profile.samples.flat()) expect(file.shared.frames[frame]).toBeDefined();
    }
  });

  it('has each frame once, outermost first, without what is not known', async () => {
    const list: Small[] = [
      { size: 7, calls: ['f x.py:2', 'native ??:0', 'main t.py:1'] },
      { size: 5, calls: ['g x.py:3', 'native ??:0', 'main t.py:1'] },
    ];
    const { shared, profiles } = JSON.parse(written(speedscope, await smallSnapshot(list)));
    const { samples, weights } = profiles[0];
    const named = samples.map((sample: number[]) => sample.map((at) => shared.frames[at]));
    const [main, native] = [{ name: 'main', file: 't.py', line: 1 }, { name: 'native' }];
    expect(named).toEqual([
      [main, native, { name: 'f', file: 'x.py', line: 2 }],
      [main, native, { name: 'g', file: 'x.py', line: 3 }],
    ]);
    expect(weights).toEqual([7, 5]);
    expect(shared.frames).toHaveLength(4);
  });
});

interface TraceEvent {
  ph: string;
  name: string;
  pid: number;
  tid: number;
  ts: number;
  dur?: number;
  args?: Record<string, number | string>;
}

const withCategories = (recording: Recording): WriteOptions => ({
  categoryOf: (trace: DeviceTrace) => categoryOf(recording, trace),
});

function traceEvents(recording: Recording): TraceEvent[] {
  return JSON.parse(written(chromeTrace, recording, withCategories(recording))).traceEvents;
}

const counters = (events: readonly TraceEvent[], name: string) =>
  events.filter((event) => event.ph === 'C' && event.name === name);
const highest = (events: readonly TraceEvent[]) =>
  events.reduce((most, { args }) => Math.max(most, sum(Object.values(args!) as number[])), 0);

describe('chrome-trace', () => {
  it.each(SNAPSHOTS)('%s: times go on, and counters reach the peaks', async (name) => {
    const recording = await open(name);
    const events = traceEvents(recording);
    const timed = events.filter(({ ph }) => ph !== 'M');
    expect(timed.every(({ ts }, i) => ts >= 0 && (i === 0 || ts >= timed[i - 1]!.ts))).toBe(true);
    for (const trace of traces(recording)) {
      if (trace.events === 0) continue;
      const device = trace.device > 1000 ? 'pinned host memory' : `GPU ${trace.device}`;
      const { peakRequested, peakReserved } = summary(trace);
      expect(highest(counters(events, `${device} requested`))).toBe(peakRequested);
      expect(highest(counters(events, `${device} reserved`))).toBe(peakReserved);
      expect(highest(counters(events, `${device} by category`))).toBe(peakRequested);
    }
  });

  it('shows an out-of-memory where it happened', async () => {
    const recording = await open('oom_batch.pickle.gz');
    const [oom] = traceEvents(recording).filter(
      ({ ph, name }) => ph === 'i' && /out of/.test(name),
    );
    const [trace] = traces(recording);
    expect(oom!.ts).toBe(trace!.times[trace!.ooms[0]!.event]! / 1000);
  });

  it('makes slices of annotations that begin and end', async () => {
    const slices = traceEvents(await open('annotated.pickle.gz')).filter(({ ph }) => ph === 'X');
    expect(slices.map(({ name }) => name)).toContain('outer');
    expect(slices.every(({ dur }) => dur! >= 0)).toBe(true);
  });

  it('has sampled series, marks and phases; phases that only overlap get lines of their own', () => {
    const builder = new RecordingBuilder({ id: 'x', name: 'x' });
    for (const second of [0, 1, 2, 3]) {
      addRow(builder, 'gpu', { time: second * 1e9, gpu: 0, used: 100 + second });
    }
    const add = (seconds: number, kind: string, name: string, value: number | null = null) => {
      const mark = { time: seconds * 1e9, time_from: TIME_FROM.agent, kind, name, value };
      addRow(builder, 'marks', { ...mark, iteration: kind === 'iteration' ? 7 : null });
    };
    add(0, 'phase', 'load');
    add(0.5, 'phase', 'part', 1);
    add(1, 'phase', '/load');
    add(1.5, 'phase', 'part', 0);
    add(2, 'iteration', '');
    add(2.5, 'phase', 'open', 1);
    const events = traceEvents(builder.build());
    expect(counters(events, 'gpu0.used').map(({ ts, args }) => [ts, args!.bytes])).toEqual([
      ...[
        [0, 100],
        [1e6, 101],
        [2e6, 102],
        [3e6, 103],
      ],
    ]);
    const slices = events.filter(({ ph }) => ph === 'X');
    expect(slices.map(({ name, ts, dur }) => [name, ts, dur])).toEqual([
      ['load', 0, 1e6],
      ['part', 0.5e6, 1e6],
      ['open', 2.5e6, 0.5e6],
    ]);
    expect(slices[0]!.tid).not.toBe(slices[1]!.tid);
    expect(events.filter(({ ph }) => ph === 'i').map(({ name }) => name)).toEqual(['iteration 7']);
  });

  it('thins long series, keeps every extreme of a stretch, and says how many points are gone', () => {
    const values = Array.from({ length: 50_000 }, (_, i) => (i === 31_111 ? 9_999 : 10 + (i % 7)));
    values[40_404] = 1;
    const { recording } = gpuRun('long', { 0: values });
    const kept = counters(traceEvents(recording), 'gpu0.used').map(({ args }) => args!.bytes);
    expect(kept.length).toBeLessThan(20_000);
    expect(Math.max(...(kept as number[]))).toBe(9_999 * 1024 ** 2);
    expect(Math.min(...(kept as number[]))).toBe(1024 ** 2);
    expect(chromeTrace.writeNote!(recording)).toBe(
      `${50_000 - kept.length} of 50000 points are left out: each stretch keeps its lowest and highest`,
    );
  });

  it('shows events in their order where a trace has no times', async () => {
    const recording = sampleRecording();
    expect(traceEvents(recording).length).toBeGreaterThan(0);
    const builder = new RecordingBuilder({ id: 'x', name: 'x' });
    for (const [i, action] of [0, 0, 2].entries()) {
      const address = BigInt(512 * (i % 2));
      addRow(builder, 'allocations', { action, address, size: 64 });
    }
    const untimed = builder.build();
    expect(counters(traceEvents(untimed), 'GPU 0 requested').map(({ ts }) => ts)).toEqual([
      0, 0, 1, 2,
    ]);
    expect(chromeTrace.writeNote!(untimed)).toContain('no times');
  });

  it('has no counter of what a source does not tell', async () => {
    const folder = 'test/fixtures/formats/torch-timeline';
    const [name] = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.includes('raw'),
    );
    const events = traceEvents(await openInput(join(folder, name!)));
    expect(counters(events, 'GPU 0 requested').length).toBeGreaterThan(0);
    expect(counters(events, 'GPU 0 reserved')).toEqual([]);
  });

  it('refuses a recording with nothing over time', () => {
    const empty = new RecordingBuilder({ id: 'x', name: 'x' }).build();
    expect(() => written(chromeTrace, empty)).toThrow(/neither samples nor allocations/);
  });
});

describe('csv of allocation events', () => {
  it('has words in place of codes, whole addresses, stacks and running sums', async () => {
    const calls = ['f x.py:2', 'main "t", 1.py:1'];
    const list: Small[] = [{ size: 7, calls, tag: 'a,b' }];
    const recording = await smallSnapshot(list, { base: 2 ** 52 + 512 });
    const [head, ...rows] = written(csv, recording, { table: 'events' }).trimEnd().split('\n');
    const cells = rows.map((row) => {
      const values = parseRecord(row)!;
      return Object.fromEntries(head!.split(',').map((title, i) => [title, values[i]]));
    });
    expect(cells[1]).toMatchObject({
      ...{ device: '0', event: '1', action: 'alloc', address: '0x10000000000200', size: '7' },
      ...{ requested: '7', reserved: '2097152', stream: '0', tag: 'a,b' },
      stack: 'main ("t", 1.py:1);f (x.py:2)',
    });
    expect(cells[0]).toMatchObject({ action: 'segment_alloc', requested: '0', stack: '' });
  });

  it.each(SNAPSHOTS)('%s: a row each event', async (name) => {
    const recording = await open(name);
    const lines = written(csv, recording, { table: 'events' }).trimEnd().split('\n');
    expect(lines).toHaveLength(1 + recording.table('allocations').rows);
  });
});
