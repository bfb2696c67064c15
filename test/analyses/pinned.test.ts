import { describe, expect, it } from 'vitest';
import { pinnedMemory } from '../../src/analyses/pinned.ts';
import { report } from '../../src/analyses/report.ts';
import { MiB } from '../../src/base/bytes.ts';
import { SECOND_NS } from '../../src/base/time.ts';
import { RecordingBuilder } from '../../src/model/builder.ts';
import type { RunInfo } from '../../src/model/run.ts';
import { addRow } from '../support/rows.ts';

/** A process that pins more for a while: by torch's counters each second, and a look at what tensors asked for. */
function pinning(counted: (second: number) => number | null, run: Partial<RunInfo> = {}) {
  const builder = new RecordingBuilder({
    ...{ id: 'told', name: 'told', argv: ['train'], subject: 'command', ...run },
    endedAt: '2026-01-01T00:01:00.000Z',
  });
  for (let second = 0; second < 20; second++) {
    const now = { time: second * SECOND_NS, pid: 7 };
    const reserved = second === 12 ? 640 * MiB : 512 * MiB;
    const rss = 1024 * MiB;
    addRow(builder, 'process', {
      ...now,
      rss,
      anon: 300 * MiB,
      file: 0,
      shmem: reserved,
      swap: 0,
      pss: rss,
    });
    const handedOut = counted(second);
    if (handedOut !== null)
      addRow(builder, 'counters', { ...now, name: 'pinned.allocated', value: handedOut });
    addRow(builder, 'counters', { ...now, name: 'pinned.reserved', value: reserved });
    if (second !== 11) continue;
    const held = {
      ...now,
      what: '[100, 1048576] uint8',
      holder: 'list of 4 in batches of __main__',
      small: 0,
    };
    addRow(builder, 'held', { ...held, category: 'pinned', count: 4, bytes: 400 * MiB });
    addRow(builder, 'held', { ...held, category: 'pinned rounding', count: 4, bytes: 112 * MiB });
  }
  const seen = { start_time: 1, first_seen: 0, last_seen: 20 * SECOND_NS };
  addRow(builder, 'processes', {
    pid: 7,
    argv: 'python train.py',
    name: 'python',
    role: 'main',
    ...seen,
  });
  return builder.build();
}

describe('pinned memory', () => {
  it('is told at its most, with what tensors asked for and what they were rounded up by', () => {
    expect(pinnedMemory(pinning(() => 500 * MiB))).toEqual([
      {
        ...{ pid: 7, bytes: 640 * MiB, seconds: 12, handedOutBytes: 500 * MiB },
        tensors: {
          ...{ askedBytes: 400 * MiB, roundingBytes: 112 * MiB, seconds: 11 },
          holders: [
            {
              ...{ what: '[100, 1048576] uint8', holder: 'list of 4 in batches of __main__' },
              ...{ count: 4, bytes: 400 * MiB },
            },
          ],
        },
      },
    ]);
  });

  it('has no figure of what is handed out where that is not counted, or is more than there is', () => {
    for (const counted of [() => null, (second: number) => second * 500 * MiB])
      expect(pinnedMemory(pinning(counted))[0]!.handedOutBytes).toBeNull();
  });

  it('is part of the verdict where the kernel killed a run that had pinned much', () => {
    const exit = {
      code: null,
      signal: 'SIGKILL',
      oomKilled: true,
      oomEvidence: 'oom_kill 1',
      endedBy: null,
    } as const;
    const { verdict } = report(pinning(() => null, { exit }));
    expect(verdict.evidence.map((one) => JSON.stringify(one)).join('\n')).toContain(
      'pinned for copies to a card, which no kernel takes back: 640 MiB, 112 MiB of it by rounding up to powers of two',
    );
    expect(verdict.fixes.map(({ id }) => id)).toContain('less-pinned');
    expect(report(pinning(() => null)).verdict.fixes.map(({ id }) => id)).not.toContain(
      'less-pinned',
    );
  });
});
