import { describe, expect, it } from 'vitest';
import { leak } from '../../src/analyses/leak/index.ts';
import { MiB } from '../../src/base/bytes.ts';
import { SECOND_NS } from '../../src/base/time.ts';
import { RecordingBuilder } from '../../src/model/builder.ts';
import { TIME_FROM } from '../../src/model/schema.ts';
import { addRow } from '../support/rows.ts';

const STEPS = 200;

interface Story {
  readonly anon: (step: number) => number;
  /** At each fifth step, as a program's agent tells them. */
  readonly counters?: (step: number) => Readonly<Record<string, number>>;
  readonly end?: Readonly<Record<string, number>>;
  readonly program?: string;
}

/** A run of twenty seconds that grows from 100 MiB, as a Node program's agent tells it. */
function judged({ anon, counters, end, program = 'node server.js' }: Story) {
  const run = { id: 'told', name: 'told', argv: ['node'], subject: 'command' as const };
  const builder = new RecordingBuilder({ ...run, endedAt: '2026-01-01T00:01:00.000Z' });
  const tell = (now: object, values: Readonly<Record<string, number>> = {}) => {
    for (const [name, value] of Object.entries(values)) {
      addRow(builder, 'counters', { ...now, name, value });
    }
  };
  for (let step = 0; step < STEPS; step++) {
    const now = { time: step * 0.1 * SECOND_NS, pid: 1 };
    const size = anon(step);
    addRow(builder, 'process', {
      ...now,
      rss: size,
      anon: size,
      file: 0,
      shmem: 0,
      swap: 0,
      pss: size,
    });
    addRow(builder, 'marks', {
      ...now,
      time_from: TIME_FROM.agent,
      kind: 'iteration',
      iteration: step,
    });
    if (step % 5 === 0) tell(now, counters?.(step));
  }
  tell({ time: STEPS * 0.1 * SECOND_NS, pid: 1 }, end);
  const seen = { start_time: 1, first_seen: 0, last_seen: STEPS * 0.1 * SECOND_NS };
  addRow(builder, 'processes', {
    pid: 1,
    argv: program,
    name: program.split(' ')[0]!,
    role: 'main',
    ...seen,
  });
  return leak(builder.build());
}

const grows = (step: number) => 100 * MiB + step * MiB;
const has = (step: number) => ({
  'v8.heap': 5 * MiB,
  'v8.committed': 8 * MiB,
  'v8.external': 20 * MiB + step * MiB,
});
/** A collection every four seconds, and what it left. */
const collected = (step: number, left: (at: number) => Readonly<Record<string, number>>) => {
  const collections = Math.floor(step / 40);
  return { 'v8.collections': collections, ...(collections > 0 && left(collections * 40)) };
};

describe('growth of a Node program', () => {
  it('is no leak as long as V8 has not collected', () => {
    const found = judged({ anon: grows, counters: (s) => ({ ...has(s), 'v8.collections': 0 }) });
    expect(found).toMatchObject({ verdict: 'inconclusive', kind: null });
    expect(found.because).toMatch(/V8 has not collected/);
    expect(found.trend!.rule).toBe('not collected yet');
    expect(found.bound!.bytesPerIteration).toBeGreaterThan(0.99 * MiB);
  });

  it('is not known where V8 has collected at the start only', () => {
    const left = { 'v8.left_heap': 5 * MiB, 'v8.left_external': 21 * MiB };
    const once = (s: number) =>
      s < 20 ? { 'v8.collections': 0 } : { 'v8.collections': 1, ...left };
    const found = judged({ anon: grows, counters: (s) => ({ ...has(s), ...once(s) }) });
    expect(found.because).toMatch(/collected at the start of this time only/);
  });

  it('is no leak where collections leave the same each time', () => {
    const same = { 'v8.left_heap': 5 * MiB, 'v8.left_external': 21 * MiB };
    const found = judged({
      anon: grows,
      counters: (s) => ({ ...has(s), ...collected(s, () => same) }),
    });
    expect(found.verdict).toBe('inconclusive');
    expect(found.trend!.rule).toBe('garbage');
  });

  it('is a leak of buffers where collections leave more of them each time', () => {
    const more = (at: number) => ({
      'v8.left_heap': 5 * MiB,
      'v8.left_external': 20 * MiB + at * MiB,
    });
    const found = judged({ anon: grows, counters: (s) => ({ ...has(s), ...collected(s, more) }) });
    expect(found).toMatchObject({ verdict: 'leak', kind: 'js-buffers' });
    const held = found.evidence.find(({ name }) => name === 'v8.held_external');
    expect(held!.amount / MiB).toBeCloseTo(1, 1);
  });

  it('is a leak of objects where these are what collections leave', () => {
    const objects = (s: number) => ({
      'v8.heap': 20 * MiB + s * MiB,
      'v8.committed': 30 * MiB + s * MiB,
      'v8.external': MiB,
    });
    const more = (at: number) => ({ 'v8.left_heap': 20 * MiB + at * MiB, 'v8.left_external': MiB });
    const found = judged({
      anon: grows,
      counters: (s) => ({ ...objects(s), ...collected(s, more) }),
    });
    expect(found).toMatchObject({
      verdict: 'leak',
      kind: 'js-objects',
      culprit: { name: "objects of V8's heap" },
    });
  });

  it('is a leak where the collection at the end shows that it was held, and not known where it does not', () => {
    const counters = (s: number) => ({ ...has(s), 'v8.collections': 0 });
    const stays = { 'v8.end_heap': 5 * MiB, 'v8.end_external': 215 * MiB };
    const goes = { 'v8.end_heap': 5 * MiB, 'v8.end_external': 2 * MiB };
    expect(judged({ anon: grows, counters, end: stays }).verdict).toBe('leak');
    expect(judged({ anon: grows, counters, end: goes }).verdict).toBe('inconclusive');
  });

  it('is a leak where V8 does not grow', () => {
    const counters = () => ({ 'v8.heap': 5 * MiB, 'v8.external': MiB, 'v8.collections': 0 });
    expect(judged({ anon: grows, counters })).toMatchObject({ verdict: 'leak', kind: 'unknown' });
  });

  it('is not known where V8 takes and frees more than it grew by', () => {
    const counters = (s: number) => ({
      'v8.heap': 5 * MiB,
      'v8.external': ((s / 5) % 4) * 100 * MiB,
      'v8.collections': 0,
    });
    expect(judged({ anon: grows, counters }).trend!.rule).toBe('swings');
  });

  it('is told of worker threads as well', () => {
    const counters = (step: number) =>
      Object.fromEntries(
        Object.entries({ ...has(step), 'v8.collections': 0 }).map(([name, value]) => [
          `${name}.3`,
          value,
        ]),
      );
    expect(judged({ anon: grows, counters }).trend!.rule).toBe('not collected yet');
  });

  it('is not known where no agent speaks, unless it falls on the way', () => {
    expect(judged({ anon: grows }).trend).toMatchObject({
      verdict: 'inconclusive',
      rule: 'no word of V8',
    });
    const teeth = (step: number) => grows(step) + (step % 20) * 4 * MiB;
    expect(judged({ anon: teeth }).verdict).toBe('leak');
    expect(judged({ anon: grows, program: './server' }).verdict).toBe('leak');
  });

  it('is a leak without an agent where it is more than V8 ever leaves uncollected', () => {
    const large = (step: number) => 400 * MiB + step * 8 * MiB;
    expect(judged({ anon: large }).verdict).toBe('leak');
  });
});

describe('what V8 holds', () => {
  /** V8's heap grows in two steps; what leaks fills what they bring, so that the process stands still or falls meanwhile. */
  const inSteps = (step: number) => 100 * MiB + (step < 60 ? 0 : step < 120 ? 40 * MiB : 30 * MiB);
  const objects = (s: number, left: (at: number) => number) => ({
    'v8.heap': left(s) + ((s % 40) / 2) * MiB,
    'v8.committed': inSteps(s) - 40 * MiB,
    'v8.external': MiB,
    ...collected(s, (at) => ({ 'v8.left_heap': left(at), 'v8.left_external': MiB })),
  });
  const end = (bytes: number) => ({ 'v8.end_heap': bytes, 'v8.end_external': MiB });
  const more = (at: number) => 10 * MiB + at * 0.1 * MiB;

  it('is a leak where each collection leaves more, to the end, though the process does not grow evenly', () => {
    const found = judged({ anon: inSteps, counters: (s) => objects(s, more), end: end(more(200)) });
    expect(found).toMatchObject({
      verdict: 'leak',
      kind: 'js-objects',
      trend: { rule: 'held by V8 grows' },
    });
    expect(found.trend!.slope.bytes / MiB).toBeCloseTo(0.1, 2);
    expect(found.bound!.bytesPerIteration! / MiB).toBeGreaterThanOrEqual(0.1);
  });

  it('is a leak where the process does not grow at all: it leaks into what V8 had already', () => {
    const flat = () => 100 * MiB;
    const counters = (s: number) => objects(s, more);
    const found = judged({ anon: flat, counters, end: end(more(200)) });
    expect(found).toMatchObject({ verdict: 'leak', trend: { rule: 'held by V8 grows' } });
  });

  it('clears as before where collections leave the same', () => {
    const same = () => 10 * MiB;
    const found = judged({
      anon: () => 100 * MiB,
      counters: (s) => objects(s, same),
      end: end(same()),
    });
    expect(found.verdict).toBe('bounded');
  });

  it.each([
    ['grew at first only', (at: number) => 10 * MiB + Math.min(at, 80) * 0.2 * MiB],
    ['grew in one step', (at: number) => (at < 100 ? 10 : 30) * MiB + at * 100],
    ['comes and goes', (at: number) => (at % 80 === 0 ? 20 : 10) * MiB],
    ['grows by less than counts', (at: number) => 10 * MiB + at * 1000],
  ])('is no leak where it %s', (_, left) => {
    const counters = (s: number) => objects(s, left);
    const found = judged({ anon: inSteps, counters, end: end(left(200)) });
    expect(found.verdict).not.toBe('leak');
  });

  it('is no leak where too few collections came to tell', () => {
    const few = (s: number) => {
      const { 'v8.collections': all } = objects(s, more) as Record<string, number>;
      return { ...objects(s, more), 'v8.collections': Math.min(2, all!) };
    };
    expect(judged({ anon: inSteps, counters: few }).verdict).not.toBe('leak');
  });

  it('may grow in the room that V8 has: a process that does not grow is not cleared by its size, nor bounded by less', () => {
    const fills = (s: number) => ({
      'v8.heap': 10 * MiB + s * 0.1 * MiB,
      'v8.committed': 60 * MiB,
      'v8.external': MiB,
      'v8.collections': 0,
    });
    const found = judged({ anon: () => 100 * MiB, counters: fills });
    expect(found).toMatchObject({ verdict: 'inconclusive', trend: { rule: 'V8 has more' } });
    expect(found.bound!.bytesPerIteration! / MiB).toBeGreaterThan(0.095);
    expect(found.bound!.growthBytes).toBeGreaterThan(found.bound!.floorBytes);
  });

  it('is cleared with the process where garbage comes and goes in that room', () => {
    const teeth = (s: number) => ({
      'v8.heap': 10 * MiB + (s % 25) * MiB,
      'v8.committed': 60 * MiB,
      'v8.external': MiB,
      'v8.collections': 0,
    });
    expect(judged({ anon: () => 100 * MiB, counters: teeth }).verdict).toBe('bounded');
  });
});
