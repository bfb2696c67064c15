import { describe, expect, it } from 'vitest';
import { report } from '../../src/analyses/report.ts';
import { SECOND_NS } from '../../src/base/time.ts';
import type { RunInfo } from '../../src/model/run.ts';
import { openInput } from '../../src/open/open.ts';
import { type Drawing, drawRecording } from '../analyses/drawn.ts';

const GiB = 2 ** 30;
const HOST = { name: 'n', platform: 'linux', kernel: '', arch: '', cpus: 2, memoryBytes: 16 * GiB };
const EXIT = { code: 1, signal: null, oomKilled: false, oomEvidence: 'counted', endedBy: null };
const KILLED = { ...EXIT, code: null, signal: 'SIGKILL' };

/** A run of a minute and a half that holds 2 GiB, on a machine of 16. */
const drawn = (run: Partial<RunInfo>, more: Drawing = {}, inUse = 4096) => {
  const at = Array.from({ length: 91 }, (_, second) => second);
  const level = at.map(() => 2048);
  return drawRecording({
    at,
    processes: [{ pid: 100, role: 'main', rss: level, pss: level }],
    host: { MemTotal: at.map(() => 16384), MemAvailable: at.map(() => 16384 - inUse) },
    marks: ['start@0', 'end@90'],
    ...more,
    run: { host: HOST, exit: EXIT, ...run },
  });
};

const told = (...given: Parameters<typeof drawn>) => {
  const { cause, certainty, evidence, against } = report(drawn(...given)).verdict;
  const said = [...evidence, ...against].map(({ statement }) => statement).join('\n');
  return { code: cause.code, certainty, said };
};

const asked = (bytes: number, ns: number) => ({
  ns: ns * SECOND_NS,
  source: 'numpy',
  place: 'host' as const,
  asked: bytes,
});
const saidAt = (second: number): Drawing => ({
  marks: ['start@0', `oom out of memory@${second}`, 'end@90'],
});

describe('what ended a run, by what was measured', () => {
  it('a message at its end, on a machine that was not full: a limit', () => {
    expect(told({ outOfMemory: [asked(6 * GiB, 89)] }, saidAt(89))).toMatchObject({
      code: 'limit',
      certainty: 'likely',
      said: expect.stringMatching(/excluded: all of the machine's memory in use/),
    });
  });

  it('more than the machine has: too large; a machine that may have been full: not settled', () => {
    const large = told({ outOfMemory: [asked(40 * GiB, 89)] }, saidAt(89));
    expect(large).toMatchObject({ code: 'too-large', certainty: 'likely' });
    const full = told({ outOfMemory: [asked(6 * GiB, 89)] }, saidAt(89), 15_000);
    expect(full).toMatchObject({ code: 'out-of-memory', certainty: 'certain' });
  });

  it('a message of which only the words are kept: that memory ran out, and no more', () => {
    expect(told({}, saidAt(89))).toMatchObject({ code: 'out-of-memory', certainty: 'certain' });
  });

  it('a message long before the end: it may have died of something else', () => {
    expect(told({ outOfMemory: [asked(6 * GiB, 5)] }, saidAt(5))).toMatchObject({
      code: 'limit',
      certainty: 'possible',
      said: expect.stringMatching(/went on for 85.0 s after that/),
    });
    const lived = { outOfMemory: [asked(6 * GiB, 5)], exit: { ...EXIT, code: 0 } };
    expect(told(lived, saidAt(5))).toMatchObject({ code: 'out-of-memory-survived' });
  });

  it('the kernel: a limit where the machine was not full, the machine where it was', () => {
    const exit = { ...KILLED, oomKilled: true };
    expect(told({ exit })).toMatchObject({ code: 'limit', certainty: 'likely' });
    expect(told({ exit }, {}, 16_000)).toMatchObject({ code: 'host-full', certainty: 'likely' });
    expect(told({ exit }, {}, 15_000)).toMatchObject({ code: 'out-of-memory' });
    const unseen = told({ exit }, { host: undefined });
    expect(unseen).toMatchObject({ code: 'out-of-memory', certainty: 'certain' });
  });

  it('SIGKILL from nobody knows whom stays unknown; not by the kernel, it is no lack of memory', () => {
    const unknown = told({ exit: { ...KILLED, oomKilled: null } });
    expect(unknown).toMatchObject({ code: 'killed', certainty: 'unknown' });
    expect(told({ exit: KILLED })).toMatchObject({ code: 'failed', certainty: 'likely' });
  });

  it('an error without a word of memory, and an end that was asked for', () => {
    expect(told({})).toMatchObject({ code: 'failed', certainty: 'likely' });
    const exit = { ...EXIT, code: null, signal: 'SIGTERM', endedBy: '--duration 90s' };
    expect(told({ exit })).toMatchObject({ code: 'ended-by-highwater', certainty: 'certain' });
  });

  it('a recording that stops, and one without a sample', () => {
    const stopped = { ns: 90 * SECOND_NS, why: 'no space left on the disk', code: 'ENOSPC' };
    const cut = told({ exit: null, endedAt: null, stopped });
    expect(cut).toMatchObject({ code: 'incomplete', certainty: 'unknown' });
    const empty = report(drawRecording({ run: { exit: { ...EXIT, code: 0 } } })).verdict;
    expect(empty.cause.code).toBe('nothing-measured');
    expect(empty.cause.sentence).toMatch(/^No memory was sampled; \{command\} ended well/);
  });

  it('a snapshot that the run left when it ran out: its cause, and the headline of the run', async () => {
    const snapshot = await openInput('test/fixtures/snapshots/training/oom_leak.pickle.gz');
    const { verdict } = report(drawn({}, saidAt(89)), [snapshot]);
    expect([verdict.cause.code, verdict.certainty]).toEqual(['kept-tensors', 'likely']);
    expect(verdict.causes[0]!.id).toBe('kept-tensors');
    expect(verdict.cause.sentence).toMatch(/^Peak 2.00 GiB .*\{command\} exited with code 1/);
    expect(verdict.fixes[0]).toMatchObject({
      id: 'keep-no-tensors',
      enough: true,
      outcome: 'runs',
    });
    expect(verdict.next?.argv).toEqual(['highwater', 'record', '--', '{command}']);
  });
});
