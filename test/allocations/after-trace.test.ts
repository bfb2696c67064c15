import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { withTimeAfter } from '../../src/analyses/allocations/after-trace.ts';
import type { Device } from '../../src/analyses/allocations/index.ts';
import { SECOND_NS } from '../../src/base/time.ts';
import { RecordingBuilder } from '../../src/model/builder.ts';
import { addRow } from '../support/rows.ts';
import { firstDevice, TRAINING } from './ground-truth.ts';

/** A training that leaks by its trace, as if it had not died. */
let leaking: Device;
beforeAll(async () => {
  leaking = { ...(await firstDevice(join(TRAINING, 'oom_leak.pickle.gz'))), oom: null };
});

const SNAPSHOT_SECOND = 10;

/** A run of which torch's own count was read ten times a second from the snapshot on. */
function runOn(seconds: number, bytesAt: (second: number) => number) {
  const builder = new RecordingBuilder({ id: 'after', name: 'after' });
  for (let tenth = 1; tenth <= seconds * 10; tenth++) {
    addRow(builder, 'counters', {
      time: (SNAPSHOT_SECOND + tenth / 10) * SECOND_NS,
      pid: 7,
      name: 'torch0.allocated',
      value: bytesAt(tenth / 10),
    });
  }
  const recording = builder.build();
  const snapshot = { file: 'peak-7.pickle', why: 'peak', pid: 7, rank: null, device: 0 } as const;
  const ns = SNAPSHOT_SECOND * SECOND_NS;
  recording.run.snapshots = [{ ...snapshot, ns, asked: null, free: null, total: null }];
  return withTimeAfter(recording, [leaking])[0]!;
}

/** Bytes a second, as the trace has them. */
const rate = () => leaking.leak.requestedPerStep! / leaking.steps.medianSeconds!;

describe('growth in a trace of an early part of the run', () => {
  it('is no leak where nothing more was handed out in the time after it', () => {
    const { leak, untilFull } = runOn(60, () => 1e9);
    expect(leaking.leak.verdict).toBe('leak');
    expect(leak).toMatchObject({ verdict: 'unknown', steps: leaking.leak.steps });
    expect(untilFull).toBeNull();
  });

  it('is no leak where what comes and goes moves by much, from the same low', () => {
    const { leak } = runOn(60, (second) => 1e9 + rate() * 60 * (second % 1));
    expect(leak.verdict).toBe('unknown');
  });

  it('is one where it goes on, also at half the pace', () => {
    expect(runOn(60, (second) => 1e9 + rate() * second).leak.verdict).toBe('leak');
    expect(runOn(60, (second) => 1e9 + (rate() * second) / 2).leak.verdict).toBe('leak');
  });

  it('stays one where the run ended soon after, or was hardly read', () => {
    const steps = leaking.leak.steps * leaking.steps.medianSeconds!;
    expect(runOn(Math.min(1, steps / 2), () => 1e9)).toBe(leaking);
    const builder = new RecordingBuilder({ id: 'unread', name: 'unread' });
    expect(withTimeAfter(builder.build(), [leaking])).toEqual([leaking]);
  });
});
