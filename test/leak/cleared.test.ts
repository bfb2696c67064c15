import { describe, expect, it } from 'vitest';
import { leak } from '../../src/analyses/leak/index.ts';
import { MiB } from '../../src/base/bytes.ts';
import { SECOND_NS } from '../../src/base/time.ts';
import { RecordingBuilder } from '../../src/model/builder.ts';
import type { Recording } from '../../src/model/recording.ts';
import { TIME_FROM } from '../../src/model/schema.ts';
import { Random } from '../support/random.ts';
import { addRow } from '../support/rows.ts';

const STEPS = 200;
const TENTH = 0.1 * SECOND_NS;

interface Drawn {
  /** MiB that the process holds at a step, and what malloc keeps free of it; null: its agent did not say. */
  readonly held: (step: number) => number;
  readonly free?: (step: number) => number | null;
  /** That is read from outside instead, in this program. */
  readonly outside?: string;
  /** At these steps the agent looked through all objects. */
  readonly looks?: readonly number[];
}

/** 200 iterations of one process, a tenth of a second each. */
function recordingOf({ held, free = () => null, outside, looks = [] }: Drawn): Recording {
  const builder = new RecordingBuilder({ id: 'c', name: 'c', argv: ['train'], subject: 'command' });
  const born = { start_time: 1, first_seen: 0, name: 'train', role: 'main', argv: 'train' };
  addRow(builder, 'processes', { ...born, pid: 7, ...(outside && { argv: outside }) });
  const mark = { time_from: TIME_FROM.agent };
  addRow(builder, 'marks', { ...mark, time: 0, kind: 'start' });
  for (let step = 0; step < STEPS; step++) {
    const time = step * TENTH;
    const bytes = held(step) * MiB;
    addRow(builder, 'marks', { ...mark, time, kind: 'iteration', iteration: step });
    const sizes = { rss: bytes, anon: bytes, file: 0, shmem: 0, swap: 0, pss: bytes };
    addRow(builder, 'process', { time, pid: 7, ...sizes });
    const kept = free(step);
    const counter = { time, pid: 7, name: 'malloc.free' };
    if (kept !== null && outside !== undefined) {
      const all = { held: bytes, in_use: bytes - kept * MiB, free: (kept + 1) * MiB };
      addRow(builder, 'malloc', { time, pid: 7, ...all, free_held: kept * MiB });
    } else if (kept !== null) addRow(builder, 'counters', { ...counter, value: kept * MiB });
    if (looks.includes(step)) {
      addRow(builder, 'objects', { time, pid: 7, kind: 'type', type: 'str', count: 9 });
    }
  }
  addRow(builder, 'marks', { ...mark, time: STEPS * TENTH, kind: 'end' });
  return builder.build();
}

/** So much comes and goes, by chance. */
function wave(mib: number, seed = 4): (step: number) => number {
  const random = new Random(seed);
  const drawn = Array.from({ length: STEPS }, () => Math.abs(random.normal()) * mib);
  return (step) => drawn[step]!;
}

describe('a run is cleared', () => {
  it('where it settled, whatever it did before', () => {
    const loading = wave(3);
    const settles = (step: number) => (step < 95 ? loading(step) : 0);
    const found = leak(recordingOf({ held: (step) => 60 + settles(step) }));
    expect(found).toMatchObject({ verdict: 'plateau', trend: { rule: 'settled' } });
  });

  it('where it keeps one size but for moments, and not where it grows between them', () => {
    const workerStarts = (step: number) => (step % 67 < 6 ? -25 : 0);
    const flat = leak(recordingOf({ held: (step) => 60 + workerStarts(step) }));
    expect(flat.verdict).toBe('bounded');
    const grows = leak(recordingOf({ held: (step) => 60 + step * 0.005 + workerStarts(step) }));
    expect(['leak', 'inconclusive']).toContain(grows.verdict);
    expect(grows.bound!.bytesPerIteration! / MiB).toBeGreaterThan(0.005);
  });

  it('not where it stood still for a time and then goes on', () => {
    const held = (step: number) => 60 + Math.max(0, step - 150) * 0.1;
    expect(['leak', 'inconclusive']).toContain(leak(recordingOf({ held })).verdict);
  });
});

describe('what leaks into memory that malloc had kept free', () => {
  const left = (step: number) => Math.max(0, 8 - 0.04 * step);
  const noise = wave(0.05);

  it('leaks as fast as what is in use grows, where the process grows too, but slower', () => {
    const grows = (step: number) => 100 + 0.03 * step + noise(step);
    const slowly = leak(recordingOf({ held: grows }));
    expect(slowly.trend).toMatchObject({ verdict: 'leak', rule: 'steady growth' });
    const found = leak(recordingOf({ held: grows, free: left }));
    expect(found).toMatchObject({ verdict: 'leak', trend: { rule: 'in use grows' } });
    expect(found.trend!.slope.bytes / MiB).toBeCloseTo(0.07, 2);
    // Where what is free only comes and goes, the process says all that there is.
    const steady = leak(recordingOf({ held: grows, free: () => 8 }));
    expect(steady.trend!.rule).toBe('steady growth');
  });

  it('is a leak, though the process does not grow', () => {
    const found = leak(recordingOf({ held: (step) => 100 + noise(step), free: left }));
    expect(found).toMatchObject({ verdict: 'leak', trend: { rule: 'in use grows' } });
    expect(found.trend!.slope.bytes / MiB).toBeCloseTo(0.04, 2);
    expect(found.bound!.bytesPerIteration! / MiB).toBeGreaterThan(0.04);
    // All that is said of this series says the same.
    expect(found.trends.find(({ series }) => series === found.trend!.series)!.verdict).toBe('leak');
  });

  it('is none where it is taken up once, or comes back', () => {
    const once = (step: number) => (step < 60 ? 8 : 2);
    expect(leak(recordingOf({ held: () => 100, free: once })).verdict).not.toBe('leak');
    const back = (step: number) => 8 - 0.2 * (step % 40);
    expect(leak(recordingOf({ held: () => 100, free: back })).verdict).not.toBe('leak');
  });

  it('is not told where nobody said how much was free', () => {
    const found = leak(recordingOf({ held: (step) => 100 + noise(step) }));
    expect(found.verdict).toBe('bounded');
  });

  it('goes on where the agent has looked, whose own memory is then free', () => {
    const holes = (step: number) => left(step) + (step >= 80 ? 3 : 0);
    const held = (step: number) => 100 + noise(step) + (step >= 80 ? 3.5 : 0);
    const found = leak(recordingOf({ held, free: holes, looks: [79] }));
    expect(found).toMatchObject({ verdict: 'leak' });
    expect(found.trend!.slope.bytes / MiB).toBeCloseTo(0.04, 2);
  });
});

describe('memory that malloc keeps free', () => {
  const free = wave(3);
  const used = (step: number) => 200 + 0.002 * (step % 2);

  it('is not in use: where nothing more is in use, what comes and goes is no leak', () => {
    const held = (step: number) => used(step) + free(step);
    expect(leak(recordingOf({ held })).verdict).toBe('inconclusive');
    expect(leak(recordingOf({ held, free }))).toMatchObject({
      verdict: 'bounded',
      trend: { rule: 'in use' },
    });
  });

  it('does not clear what is in use and grows', () => {
    const held = (step: number) => used(step) + free(step) + step * 0.005;
    expect(leak(recordingOf({ held, free })).verdict).toBe('inconclusive');
  });

  it('counts the same read from outside, but not of Node, where what is in use may be garbage', () => {
    const held = (step: number) => used(step) + free(step);
    expect(leak(recordingOf({ held, free, outside: './serve' })).verdict).toBe('bounded');
    expect(leak(recordingOf({ held, free, outside: 'node serve.js' })).verdict).toBe(
      'inconclusive',
    );
    const grows = (step: number) => held(step) + step * 0.005;
    const found = leak(recordingOf({ held: grows, free, outside: './serve' }));
    expect(found.verdict).toBe('inconclusive');
  });

  it('is not known where its readings end early', () => {
    const held = (step: number) => used(step) + free(step);
    const early = (step: number) => (step < 120 ? free(step) : null);
    expect(leak(recordingOf({ held, free: early })).verdict).toBe('inconclusive');
  });

  it('is read before and after a look of ours, which leaves memory in the process', () => {
    const ours = (step: number) => (step > 60 ? 0.6 : 0) + (step > 140 ? 0.6 : 0);
    const held = (step: number) => used(step) + free(step) + ours(step);
    expect(leak(recordingOf({ held, free })).verdict).toBe('inconclusive');
    expect(leak(recordingOf({ held, free, looks: [60, 140] })).verdict).toBe('bounded');
  });

  it('is no leak where it became more once, for whatever the program does next can have it', () => {
    const more = (step: number) => (step > 140 ? 12 : 0);
    const held = (step: number) => used(step) + more(step);
    expect(leak(recordingOf({ held })).verdict).toBe('inconclusive');
    expect(leak(recordingOf({ held, free: more })).verdict).toBe('bounded');
    expect(leak(recordingOf({ held, free: () => 1 })).verdict).toBe('inconclusive');
  });

  it('is not called a leak while it is less than what is in use, and says what to do', () => {
    const noise = wave(0.05, 9);
    const more = (step: number) => 0.05 * step;
    const found = leak(recordingOf({ held: (step) => 100 + more(step) + noise(step), free: more }));
    expect(found).toMatchObject({ verdict: 'inconclusive', kind: 'allocator', culprit: null });
    expect(found.trend).toMatchObject({ verdict: 'inconclusive', rule: 'kept free' });
    expect(found.bound!.bytesPerIteration! / MiB).toBeGreaterThan(0.05);
    expect(found.advice.join(' ')).toContain('malloc_trim');
    const lost = (step: number) => 0.5 * step;
    const holes = leak(recordingOf({ held: (step) => 40 + lost(step) + noise(step), free: lost }));
    expect(holes).toMatchObject({ verdict: 'leak', kind: 'allocator' });
  });

  it('is not cleared where it becomes more and more', () => {
    const more = (step: number) => 12 * Math.floor(step / 40);
    const held = (step: number) => used(step) + more(step);
    expect(['leak', 'inconclusive']).toContain(leak(recordingOf({ held, free: more })).verdict);
  });
});
