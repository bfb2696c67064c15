import { describe, expect, it } from 'vitest';
import { leak } from '../../src/analyses/leak/index.ts';
import { report } from '../../src/analyses/report.ts';
import { MiB } from '../../src/base/bytes.ts';
import { leakSentence } from '../../src/views/report/leak.ts';
import { reportText } from '../../src/views/report/text.ts';
import { type Drawing, drawRecording } from '../analyses/drawn.ts';
import { Random } from '../support/random.ts';

/** A sample each tenth of a second for 45 s; iterations each 0.3 s from 2 s to 38 s, the end at 40 s. */
const at = Array.from({ length: 451 }, (_, i) => i / 10);
const ITERATIONS = Array.from({ length: 120 }, (_, i) => `iteration ${i + 1}@${2 + i * 0.3}`);
const MARKS = ['start@1', ...ITERATIONS, 'end@40'];
const random = new Random(3);
const noise = at.map(() => random.normal() * 0.05);
/** MiB while it runs, null before and after. */
const living = (mib: (s: number) => number) =>
  at.map((s, i) => (s >= 1 && s <= 40 ? mib(s) + noise[i]! : null));

function process(
  pid: number,
  role: string,
  parts: Record<'anon' | 'file' | 'shmem', (s: number) => number>,
) {
  const sum = (s: number) => parts.anon(s) + parts.file(s) + parts.shmem(s);
  return {
    pid,
    role,
    rss: living(sum),
    pss: living(sum),
    anon: living(parts.anon),
    file: living(parts.file),
    shmem: living(parts.shmem),
  };
}

const flat = (mib: number) => () => mib;

/** The machine's shared memory; the rest of it stands still. */
function machine(shmem: (s: number) => number): Drawing['host'] {
  const still = at.map(() => 100);
  return {
    AnonPages: still,
    Shmem: at.map(shmem),
    SUnreclaim: still,
    KernelStack: still,
    PageTables: still,
    MemTotal: at.map(() => 16_384),
    MemAvailable: at.map(() => 8000),
  };
}

describe('what cannot be taken back', () => {
  it('is not a mapped file that is read from end to end', () => {
    const main = process(1, 'main', { anon: flat(40), file: (s) => 8 * s, shmem: flat(0) });
    const recording = drawRecording({ at, processes: [main], marks: MARKS });
    const found = leak(recording);
    expect(found).toMatchObject({ verdict: 'bounded', trend: { series: 'tree.held' } });
    const pss = found.trends.find(({ series }) => series === 'tree.pss');
    expect(pss).toMatchObject({ verdict: 'inconclusive', rule: 'mapped files' });
    expect(reportText(report(recording))).toMatch(/mapped files +\+2\.\d+ MiB\/iteration: no leak/);
  });

  it('is anonymous memory beside a mapped file', () => {
    const main = process(1, 'main', { anon: (s) => 40 + s, file: (s) => 8 * s, shmem: flat(0) });
    const found = leak(drawRecording({ at, processes: [main], marks: MARKS }));
    expect(found).toMatchObject({ verdict: 'leak', trend: { series: 'tree.held' } });
    expect(found.trend!.slope.bytes / MiB).toBeCloseTo(0.3, 1);
  });

  it('is shared memory that the processes map, unless it was there before', () => {
    const main = process(1, 'main', { anon: flat(40), file: flat(9), shmem: (s) => 2 * s });
    const of = (shmem: (s: number) => number) =>
      leak(drawRecording({ at, processes: [main], marks: MARKS, host: machine(shmem) }));
    expect(of((s) => 2 * Math.min(s, 40))).toMatchObject({ verdict: 'leak' });
    const others = of(flat(500));
    expect(others).toMatchObject({ verdict: 'inconclusive', trend: { rule: 'shared memory' } });
  });

  it('does not grow by a child that is forked, whose pages are its parent’s', () => {
    const main = process(1, 'main', { anon: flat(400), file: flat(9), shmem: flat(0) });
    const child = process(2, 'worker 1', { anon: flat(400), file: flat(9), shmem: flat(0) });
    const late = at.map((s) => s > 12);
    const cut = (values: readonly (number | null)[]) => values.map((v, i) => (late[i] ? v : null));
    const forked = { ...child, rss: cut(child.rss), anon: cut(child.anon), pss: cut(child.pss) };
    const found = leak(drawRecording({ at, processes: [main, forked], marks: MARKS }));
    expect(found.trends.find(({ series }) => series === 'tree.held')).toMatchObject({
      verdict: 'bounded',
      members: 2,
    });
  });
});

describe('what was left behind', () => {
  const main = process(1, 'main', { anon: flat(40), file: flat(9), shmem: flat(0) });
  const of = (drawing: Drawing) =>
    report(drawRecording({ at, processes: [main], marks: MARKS, ...drawing }));

  it("is not a stranger's shared memory", () => {
    const { leak: found } = of({ host: machine((s) => (s > 9 ? 125 : 100)) });
    expect(found.shelf).toMatchObject({ verdict: 'inconclusive', by: 'processes', leakedBytes: 0 });
    expect(found.because).toMatch(/whose it is was not seen/);
  });

  it('is a file that its processes were seen to use, to the byte; one that was not is hearsay', () => {
    const left = (seenBytes: number) => {
      const leftInShm = [{ pattern: 'psm_*', files: 1, bytes: 20 * MiB, seenBytes }];
      return of({ host: machine((s) => (s > 9 ? 122.5 : 100)), run: { leftInShm } });
    };
    expect(left(20 * MiB).leak).toMatchObject({
      verdict: 'leak',
      kind: 'shared-memory',
      shelf: { leakedBytes: 20 * MiB, uncertaintyBytes: 0 },
    });
    expect(leakSentence(left(20 * MiB))).toContain('+20.0 MiB left behind in /dev/shm/psm_*');
    const hearsay = left(0).leak;
    expect(hearsay).toMatchObject({ verdict: 'inconclusive', shelf: { leakedBytes: 0 } });
    expect(hearsay.because).toMatch(/20\.0 MiB of files appeared in \/dev\/shm meanwhile/);
  });

  it('is nothing, whatever the machine does, where no process and no file stays', () => {
    const busy = {
      ...machine(flat(100)),
      AnonPages: at.map((s) => 1000 + 90 * Math.abs(Math.sin(s))),
    };
    expect(of({ host: busy }).leak).toMatchObject({
      verdict: 'bounded',
      shelf: { verdict: 'bounded', boundBytes: 0 },
    });
  });

  it('cannot be told while it runs', () => {
    const running = of({
      at: at.filter((s) => s < 30),
      marks: MARKS.filter((mark) => Number(mark.split('@')[1]) < 30),
      host: machine((s) => (s > 9 ? 125 : 100)),
      run: { endedAt: null },
    });
    expect(running.leak.shelf).toBeNull();
    expect(running.leak.verdict).not.toBe('leak');
  });
});

describe('a control group of its own', () => {
  const OWN = { cgroup: { version: 1 as const, own: true, limitBytes: null } };
  const group = (anon: (s: number) => number, shmem: (s: number) => number) => ({
    current: at.map((s) => anon(s) + shmem(s)),
    peak: at.map(() => null),
    anon: at.map((s) => (s > 1 && s < 40.1 ? anon(s) : 0)),
    shmem: at.map((s) => (s > 1 ? shmem(s) : 0)),
  });
  const main = process(1, 'main', { anon: flat(40), file: flat(9), shmem: flat(0) });
  const of = (drawing: Drawing) =>
    leak(drawRecording({ at, processes: [main], marks: MARKS, run: OWN, ...drawing }));

  it("says that it is a stranger's memory that the machine has more of", () => {
    const host = machine((s) => (s > 9 ? 125 : 100));
    const found = of({ host, cgroup: group(flat(40), flat(0)) });
    expect(found).toMatchObject({ verdict: 'bounded', shelf: { by: 'cgroup', leakedBytes: 0 } });
  });

  it('tells what is left behind to the byte where the files do, and by itself where they do not', () => {
    const cgroup = group(flat(40), (s) => (s > 9 ? 20.1 : 0));
    const leftInShm = [{ pattern: 'psm_*', files: 1, bytes: 20 * MiB }];
    expect(of({ cgroup, run: { ...OWN, leftInShm } }).shelf).toMatchObject({
      verdict: 'leak',
      leakedBytes: 20 * MiB,
      uncertaintyBytes: 0,
    });
    expect(of({ cgroup }).shelf!.leakedBytes! / MiB).toBeCloseTo(20.1, 5);
  });

  describe('whose pages the kernel adds up in lots', () => {
    /** Read at each ninth sample, and up to so many seconds late. */
    const late = (anon: (s: number) => number, seconds: number) => {
      const told = group((s) => anon(Math.floor(s / seconds) * seconds), flat(0));
      const seldom = told.anon.map((value, i) => (i % 9 === 0 ? value : null));
      return { ...told, anon: seldom, shmem: told.shmem.map((v, i) => (i % 9 === 0 ? v : null)) };
    };
    const growing = (anon: (s: number) => number) =>
      process(1, 'main', { anon, file: flat(9), shmem: flat(0) });

    it('leaves it to its one process whether growth is even', () => {
      const leaks = (s: number) => 100 + 3 * s;
      const cgroup = late(leaks, 11);
      const found = of({ processes: [growing(leaks)], cgroup });
      const byGroup = found.trends.find(({ series }) => series === 'cgroup.held')!;
      expect(byGroup.verdict).toBe('inconclusive');
      expect(byGroup.slope.low).toBeGreaterThan(0);
      expect(found).toMatchObject({ verdict: 'leak', trend: { series: 'tree.held' } });
    });

    it('leaves it to its one process, too, what its own noise hides', () => {
      const leaks = (s: number) => 100 + s;
      const one = new Random(3);
      const told = late(leaks, 0.1);
      const anon = told.anon.map((mib) => (mib ? mib + one.normal() * 40 : mib));
      const found = of({ processes: [growing(leaks)], cgroup: { ...told, anon } });
      const byGroup = found.trends.find(({ series }) => series === 'cgroup.held')!;
      expect(byGroup.slope.low).toBeLessThan(0);
      expect(byGroup.growthBytes).not.toBeCloseTo(found.trend!.growthBytes, -7);
      expect(found).toMatchObject({ verdict: 'leak', trend: { series: 'tree.held' } });
    });

    it('has the last word where the process does not show what it does', () => {
      const cgroup = late((s) => 100 + 3 * s, 11);
      const slower = of({ processes: [growing((s) => 100 + s)], cgroup });
      const still = of({ processes: [growing(flat(100))], cgroup });
      for (const found of [slower, still]) {
        expect(found).toMatchObject({ verdict: 'inconclusive', trend: { series: 'cgroup.held' } });
      }
    });

    it('leaves it to its process, too, whether the little that it shows has ended', () => {
      const settles = (s: number) => 100 + (s < 9 ? s / 9 : 1);
      const found = of({ processes: [growing(settles)], cgroup: late(settles, 13) });
      expect(found.verdict).toMatch(/plateau|bounded/);
    });
  });

  it('finds pages that forked processes copy, though none of them grows', () => {
    const workers = [2, 3].map((pid) =>
      process(pid, `worker ${pid - 1}`, { anon: flat(400), file: flat(9), shmem: flat(0) }),
    );
    const processes = [main, ...workers].map((one) => ({ ...one, pss: at.map(() => null) }));
    const found = of({ processes, cgroup: group((s) => 400 + 3 * s, flat(0)) });
    expect(found).toMatchObject({ verdict: 'leak', kind: 'copy-on-write' });
    expect(found.trend).toMatchObject({ series: 'cgroup.held', measure: 'cgroup-held' });
    expect(found.culprit).toMatchObject({ measure: 'cgroup-held', role: null });
  });

  it('names who copies by their shares, however seldom those were read', () => {
    // Read three times only: far too seldom to show by itself that it goes on.
    const share = (s: number) => 200 + 1.5 * (s < 12 ? 2 : s < 27 ? 14 : 29);
    const workers = [2, 3].map((pid) => ({
      ...process(pid, `worker ${pid - 1}`, { anon: flat(400), file: flat(9), shmem: flat(0) }),
      pss: living(share),
    }));
    const found = of({
      processes: [main, ...workers],
      cgroup: group((s) => 400 + 3 * s, flat(0)),
    });
    expect(found).toMatchObject({
      verdict: 'leak',
      kind: 'copy-on-write',
      trend: { series: 'cgroup.held' },
      culprit: { measure: 'PSS', role: 'worker', members: 2, other: { grows: false } },
    });
  });
});

describe('a bound', () => {
  const wander = (seed: number, mib: number) => {
    const one = new Random(seed);
    return at.map(() => one.normal() * mib);
  };
  const noisy = (growing: (s: number) => number, mib: number) => {
    const main = process(1, 'main', { anon: growing, file: flat(9), shmem: flat(0) });
    const by = wander(5, mib);
    const anon = main.anon.map((value, i) => (value === null ? null : value + by[i]!));
    return drawRecording({ at, processes: [{ ...main, anon }], marks: MARKS });
  };

  it('is said where the verdict is open, with what a longer run would tell', () => {
    const recording = noisy(flat(400), 6);
    const { bound, verdict } = leak(recording);
    expect(verdict).toBe('inconclusive');
    expect(bound).toMatchObject({ confidence: 0.95, series: 'tree.held', longer: { times: 4 } });
    expect(bound!.bytesPerIteration! / MiB).toBeGreaterThan(0.002);
    expect(bound!.bytesPerIteration! / MiB).toBeLessThan(0.2);
    expect('bytesPerHour' in bound!).toBe(false);
    expect(bound!.longer.bytesPerIteration!).toBeLessThan(bound!.bytesPerIteration! / 3);
    const sentence = leakSentence(report(recording));
    expect(sentence).toMatch(/cannot be told, as .*; at most \+[\d.]+ KiB\/iteration \(95 %\)/);
    expect(reportText(report(recording))).toMatch(
      /record 4 × as long to tell \+[\d.]+ \S+\/iteration/,
    );
  });

  it('lies above the true slope of a leak, and is the quietest series’ where PSS is noisy', () => {
    const { bound, trend } = leak(noisy((s) => 400 + s, 1));
    expect(trend!.verdict).toBe('leak');
    expect(bound!.bytesPerIteration! / MiB).toBeGreaterThan(0.3);
    const by = wander(9, 20);
    const quiet = process(1, 'main', { anon: flat(400), file: flat(9), shmem: flat(0) });
    const pss = quiet.pss.map((value, i) => (value === null ? null : value + by[i]!));
    const found = leak(drawRecording({ at, processes: [{ ...quiet, pss }], marks: MARKS }));
    expect(found).toMatchObject({ verdict: 'bounded', bound: { series: 'tree.held' } });
  });

  it('is for each hour without iterations, of a few values too, and none of hardly any', () => {
    const of = (seconds: number) => {
      const few = at.filter((s) => s < seconds);
      const rss = few.map((s) => 100 + s);
      return leak(drawRecording({ at: few, processes: [{ pid: 1, role: 'main', rss }] })).bound;
    };
    expect(of(3)!.bytesPerHour! / MiB).toBeGreaterThan(3600);
    expect('bytesPerIteration' in of(3)!).toBe(false);
    expect(of(0.5)).toBeNull();
  });

  it('counts iterations by their numbers where not each is marked', () => {
    const main = process(1, 'main', { anon: (s) => 40 + s, file: flat(9), shmem: flat(0) });
    const marks = [
      'start@1',
      ...ITERATIONS.map((_, i) => `iteration ${20 * (i + 1)}@${2 + i * 0.3}`),
      'end@40',
    ];
    const recording = drawRecording({ at, processes: [main], marks });
    const { trend } = leak(recording);
    expect(trend).toMatchObject({ verdict: 'leak', values: 114, iterations: 113 * 20 + 1 });
    expect((20 * trend!.slope.bytes) / MiB).toBeCloseTo(0.3, 1);
    expect(reportText(report(recording))).toContain('2261 iterations, 114 of them seen');
  });
});

describe('growth that fades', () => {
  it('is no leak where the second half alone shows that it has nearly stopped', () => {
    const fills = (s: number) => 400 + 60 * (1 - Math.exp(-s / 9));
    const main = process(1, 'main', { anon: fills, file: flat(9), shmem: flat(0) });
    const found = leak(drawRecording({ at, processes: [main], marks: MARKS }));
    expect(found.verdict).not.toBe('leak');
    expect(found.bound!.bytesPerIteration!).toBeLessThan(found.trend!.slope.bytes);
  });
});
