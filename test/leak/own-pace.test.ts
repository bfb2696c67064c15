import { describe, expect, it } from 'vitest';
import { leak } from '../../src/analyses/leak/index.ts';
import { MiB } from '../../src/base/bytes.ts';
import { SECOND_NS } from '../../src/base/time.ts';
import { RecordingBuilder } from '../../src/model/builder.ts';
import { TIME_FROM } from '../../src/model/schema.ts';
import { addRow } from '../support/rows.ts';

/** Forty steps of a compiled model on an H200: they are queued in bursts, between which the program waits for the card. */
const BURSTS = [
  { from: 20.5, to: 20.6, steps: 9 },
  { from: 21.72, to: 22.01, steps: 12 },
  { from: 23.55, to: 23.66, steps: 10 },
  { from: 25.52, to: 25.58, steps: 9 },
];
const STEPS = BURSTS.flatMap(({ from, to, steps }) =>
  Array.from({ length: steps }, (_, i) => from + ((to - from) * i) / (steps - 1)),
);
/** What the worker that compiles held meanwhile, in MiB by second. */
const COMPILER: readonly (readonly [number, number])[] = [
  [14.92, 4],
  [15.1, 123],
  [15.5, 204],
  [16, 220],
  [17, 244],
  [18, 255],
  [19, 279],
  [20.14, 291],
  [20.63, 295],
  [20.94, 304],
  [21.69, 309],
  [22.46, 322],
  [23, 326],
  [23.5, 336],
  [23.84, 344],
  [24.55, 360.6],
  [24.64, 363],
  [26.5, 363],
];

const between = (points: typeof COMPILER, seconds: number) => {
  const next = points.findIndex(([at]) => at > seconds);
  if (next <= 0) return points.at(next === 0 ? 0 : -1)![1];
  const [[x0, y0], [x1, y1]] = [points[next - 1]!, points[next]!];
  return y0 + ((y1 - y0) * (seconds - x0)) / (x1 - x0);
};

/** The main process is flat and takes the steps; the other's MiB by second. */
function withBeside(other: (seconds: number) => number, steps = STEPS) {
  const builder = new RecordingBuilder({
    id: 'pace',
    name: 'pace',
    argv: ['python', 'compiled.py'],
    subject: 'command',
    endedAt: '2026-01-01T00:01:00.000Z',
  });
  const size = (time: number, pid: number, mib: number) => {
    const parts = { rss: mib * MiB, anon: mib * MiB, pss: mib * MiB };
    addRow(builder, 'process', { time, pid, ...parts, file: 0, shmem: 0, swap: 0 });
  };
  for (const [pid, role, first] of [
    [613, 'main', 0],
    [968, 'python3 1', 14.92],
  ] as const) {
    const seen = { first_seen: first * SECOND_NS, last_seen: 26.5 * SECOND_NS };
    addRow(builder, 'processes', { pid, start_time: 1, name: 'python3', role, ...seen });
  }
  const mark = { time_from: TIME_FROM.agent };
  addRow(builder, 'marks', { ...mark, time: 0, kind: 'start' });
  for (const [i, at] of steps.entries()) {
    addRow(builder, 'marks', {
      ...mark,
      time: at * SECOND_NS,
      kind: 'step',
      iteration: i + 1,
      pid: 613,
    });
  }
  for (let tick = 0; tick < 2650; tick++) {
    const seconds = tick / 100;
    size(seconds * SECOND_NS, 613, Math.min(1100, 60 * seconds));
    if (seconds > 14.92) size(seconds * SECOND_NS, 968, other(seconds));
  }
  addRow(builder, 'marks', { ...mark, time: 26.5 * SECOND_NS, kind: 'end' });
  return leak(builder.build());
}

describe("a process beside the one that takes a run's steps", () => {
  it('is no leak where it grows with time, also while no step ends: it imports and compiles', () => {
    const found = withBeside((seconds) => between(COMPILER, seconds));
    expect(found.verdict).not.toBe('leak');
    const worker = found.trends.find(({ series }) => series === 'python3.held')!;
    expect(worker).toMatchObject({ over: 'time' });
    expect(worker.verdict).not.toBe('leak');
  });

  it('is one where it grows with the steps', () => {
    const done = (seconds: number) => STEPS.filter((at) => at <= seconds).length;
    const found = withBeside((seconds) => 300 + 2 * done(seconds));
    expect(found).toMatchObject({ verdict: 'leak', culprit: { role: 'python3' } });
    expect(found.trend).toMatchObject({ over: 'iterations' });
  });

  it('is one where steps come evenly, and it grows with them as with time', () => {
    const steps = Array.from({ length: 60 }, (_, i) => 18 + i / 10);
    const found = withBeside((seconds) => 300 + 20 * Math.max(0, seconds - 18), steps);
    expect(found).toMatchObject({ verdict: 'leak', culprit: { role: 'python3' } });
  });
});
