import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inside } from '../../src/analyses/inside.ts';
import { report } from '../../src/analyses/report.ts';
import { RecordingBuilder } from '../../src/model/builder.ts';
import type { SnapshotInfo } from '../../src/model/run.ts';
import { openInput } from '../../src/open/open.ts';
import { addRow } from '../support/rows.ts';

const PID = 7;

describe('the history of the allocator', () => {
  it('took what it took at most, of all processes together', () => {
    const builder = new RecordingBuilder({ id: 'run', name: 'run' });
    for (const [pid, value] of [
      [1, 100],
      [1, 900],
      [2, 50],
      [1, 0], // it rests
    ] as const) {
      addRow(builder, 'counters', { time: 1, pid, name: 'history.bytes', value });
    }
    expect(inside(builder.build()).historyBytes).toBe(950);
  });
});

describe('an out-of-memory error while the history rests', () => {
  const snapshot: SnapshotInfo = {
    file: 'oom-7-1.pickle',
    why: 'oom',
    ns: 100e9,
    pid: PID,
    rank: null,
    device: 0,
    asked: 65_536_000_000,
    free: 16_537_223_168,
    total: null,
  };
  const left = () =>
    openInput(resolve('test/fixtures/formats/torch-snapshot/h200-oom-rested.pickle'));
  const run = (steps: readonly (readonly [second: number, pid: number, step: number])[]) => {
    const builder = new RecordingBuilder({ id: 'run', name: 'run', snapshots: [snapshot] });
    for (const [second, pid, step] of steps) {
      addRow(builder, 'marks', { time: second * 1e9, pid, kind: 'step', iteration: step });
    }
    return builder.build();
  };

  it("is in the run's step, not in the trace's first", async () => {
    const steps = [
      [1, PID, 1],
      [98, PID, 582],
      [99, 8, 3], // another process's
      [101, PID, 583], // after it
    ] as const;
    const [device] = report(run(steps), [await left()]).devices;
    expect(device!.oom!.moment).toEqual({ phase: 'forward', step: 583 });
  });

  it('keeps to the trace where no steps were told', async () => {
    const [device] = report(run([]), [await left()]).devices;
    expect(device!.oom!.moment).toEqual({ phase: 'forward', step: 1 });
  });
});
