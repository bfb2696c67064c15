import { describe, expect, it } from 'vitest';
import { leak } from '../../src/analyses/leak/index.ts';
import { report } from '../../src/analyses/report.ts';
import { leakSentence } from '../../src/views/report/leak.ts';
import { drawRecording } from '../analyses/drawn.ts';

interface Growing {
  /** MiB each second. */
  readonly read?: number;
  /** It reads for so many seconds. */
  readonly readsUntil?: number;
  readonly asked?: number;
  /** As a share of the time. */
  readonly busy?: number;
  readonly seconds?: number;
  readonly marks?: readonly string[];
  readonly ended?: boolean;
  /** What it asks for in the last look at it, MiB. */
  readonly endsWith?: number;
}

/** One process that grows by 4 MiB a second from 20 MiB on. */
function grows(growing: Growing) {
  const { read = 0, asked = 4, busy = 0.2, seconds = 40, marks = [], ended = true } = growing;
  const at = Array.from({ length: seconds * 10 + 1 }, (_, i) => i / 10);
  const rss = at.map((s) => 20 + 4 * s);
  const zeros = at.map(() => 0);
  const taken = {
    read: at.map((s) => 5 + read * Math.min(s, growing.readsUntil ?? seconds)),
    asked: at.map(
      (s, i) => (i === at.length - 1 ? growing.endsWith : undefined) ?? 900 + asked * s,
    ),
    busy: at.map((s) => 1 + busy * s),
  };
  return drawRecording({
    at,
    marks: ['start@0', ...marks, ...(ended ? [`end@${seconds}`] : [])],
    processes: [
      { pid: 1, role: 'main', rss, pss: rss, anon: rss, file: zeros, shmem: zeros, ...taken },
    ],
  });
}

const counts = (seconds: number) =>
  Array.from({ length: seconds * 4 - 4 }, (_, i) => `count ${10 * (i + 1)}@${1 + i / 4}`);

describe('growth without iterations', () => {
  it('is a leak where nothing was read that could have been loaded', () => {
    const found = leak(grows({}));
    expect(found).toMatchObject({ verdict: 'leak', trend: { over: 'time' } });
  });

  it('may be loading where it read as much, or a packed fiftieth of it', () => {
    for (const read of [4, 0.1]) {
      const found = leak(grows({ read }));
      expect(found.verdict).toBe('inconclusive');
      expect(found.because).toContain('may be loading');
    }
  });

  it('is a leak where what was read came first, and it went on growing without', () => {
    const reads = (until: number) => leak(grows({ read: 6, readsUntil: until }));
    expect(reads(12)).toMatchObject({ verdict: 'leak', trend: { over: 'time' } });
    expect(reads(35).because).toContain('may be loading');
  });

  it('may be one computation that keeps what it makes, where it never waits', () => {
    const found = leak(grows({ busy: 0.95 }));
    expect(found.verdict).toBe('inconclusive');
    expect(found.because).toContain('one computation that keeps what it makes');
    expect(leak(grows({ busy: Number.NaN })).verdict).toBe('inconclusive');
  });

  it('may be loading while the program still runs, in the first seconds, and where nobody watched', () => {
    expect(leak(grows({ ended: false })).because).toContain('may be loading');
    expect(leak(grows({ seconds: 18 })).because).toContain('may be loading');
    const at = Array.from({ length: 401 }, (_, i) => i / 10);
    const rss = at.map((s) => 20 + 4 * s);
    const unwatched = drawRecording({
      at,
      marks: ['start@0', 'end@40'],
      processes: [{ pid: 1, role: 'main', rss, pss: rss, anon: rss }],
    });
    expect(leak(unwatched).because).toContain('may be loading');
  });
});

describe('lines that count something', () => {
  it('are iterations where nothing is read', () => {
    const found = leak(grows({ seconds: 16, marks: counts(16), busy: 0.95 }));
    expect(found).toMatchObject({ verdict: 'leak', trend: { over: 'iterations' } });
    // 4 MiB a second, 40 counted.
    expect(found.trend!.slope.bytes / 2 ** 20).toBeCloseTo(0.1, 2);
  });

  it('may count what is loaded', () => {
    const found = leak(grows({ seconds: 16, marks: counts(16), read: 3 }));
    expect(found.verdict).toBe('inconclusive');
    expect(found.because).toContain('may be loading');
  });
});

describe('memory that was asked for before', () => {
  const iterations = (seconds: number) =>
    Array.from({ length: seconds * 4 - 4 }, (_, i) => `iteration ${i + 1}@${1 + i / 4}`);

  it('is filled, and that is no leak, with or without iterations', () => {
    for (const marks of [[], iterations(40)]) {
      const told = report(grows({ asked: 0, marks }));
      expect(told.leak.verdict).toBe('inconclusive');
      expect(leakSentence(told)).toMatch(
        /fills memory that it had asked for .* 7\d\d MiB are left/,
      );
    }
    expect(leak(grows({ marks: iterations(40) })).verdict).toBe('leak');
  });

  it('is still asked for by a leak whose process was read once more while it ended', () => {
    // Without any memory, or with what the interpreter has not yet let go.
    for (const endsWith of [0, 30]) {
      const ending = grows({ marks: iterations(40), endsWith });
      expect(leak(ending).verdict, `${endsWith} MiB`).toBe('leak');
    }
  });

  it('tells nothing of growth within what allocators ask for ahead', () => {
    const found = leak(grows({ asked: 0, seconds: 15, marks: iterations(15) }));
    expect(found.verdict).toBe('leak');
  });
});
