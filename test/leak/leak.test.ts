import { describe, expect, it } from 'vitest';
import { leak } from '../../src/analyses/leak/index.ts';
import { leakPerRun } from '../../src/analyses/leak/repeats.ts';
import type { Shelf } from '../../src/analyses/leak/shelf-levels.ts';
import { report } from '../../src/analyses/report.ts';
import { defaultSeries } from '../../src/analyses/timeline.ts';
import { MiB } from '../../src/base/bytes.ts';
import { leakSentence } from '../../src/views/report/leak.ts';
import { reportMarkdown } from '../../src/views/report/markdown.ts';
import { reportText } from '../../src/views/report/text.ts';
import { type Drawing, drawRecording } from '../analyses/drawn.ts';
import { Random } from '../support/random.ts';

/** Samples each 0.1 s; values in MiB by second. */
function moments(from: number, to: number): number[] {
  return Array.from({ length: Math.round((to - from) * 10) + 1 }, (_, i) => from + i / 10);
}

/** The host's memory as one number; the other fields of `host.held` are zero. */
function machine(at: readonly number[], held: (seconds: number) => number): Drawing['host'] {
  const zero = at.map(() => 0);
  return {
    AnonPages: at.map(held),
    Shmem: zero,
    SUnreclaim: zero,
    KernelStack: zero,
    PageTables: zero,
    MemTotal: at.map(() => 16_384),
    MemAvailable: at.map((s) => 16_000 - held(s)),
  };
}

const MARKS = ['start@2', 'end@12'];

describe('shelves', () => {
  const shelfOf = (held: (s: number) => number, marks = MARKS) => {
    const at = moments(0, 15);
    return leak(drawRecording({ at, host: machine(at, held), marks })).shelf!;
  };
  const busy = (s: number) => (s > 2 && s < 12 ? 800 : 0);

  it('tell what is left behind, the settling after the exit aside', () => {
    const settling = (s: number) => (s >= 12 ? 200 * Math.exp(-(s - 12) / 0.1) : 0);
    const shelf = shelfOf((s) => 1000 + busy(s) + settling(s) + (s >= 12 ? 62 : 0));
    expect(shelf.verdict).toBe('leak');
    expect(shelf.leakedBytes! / MiB).toBeCloseTo(62, 0);
    expect(shelf.uncertaintyBytes!).toBeLessThan(2 * MiB);
    expect(shelf.after!.fromSeconds).toBeGreaterThan(10.2);
  });

  it('tell nothing where nothing stays', () => {
    const shelf = shelfOf((s) => 1000 + busy(s));
    expect(shelf).toMatchObject({ verdict: 'bounded', leakedBytes: 0 });
  });

  it('say so when they are not flat, too short or missing', () => {
    expect(shelfOf((s) => 1000 + busy(s) + (s > 12 ? 90 * (s - 12) : 0))).toMatchObject({
      verdict: 'inconclusive',
      because: "the machine's memory was not steady after its end",
    });
    expect(shelfOf((s) => 1000 + busy(s), ['start@0.3', 'end@12']).because).toMatch(/too briefly/);
    expect(shelfOf((s) => 1000 + busy(s), ['start@2', 'end@15']).because).toMatch(/after its end/);
  });

  it('are those of the first and the last stretch where no mark tells the start', () => {
    const at = moments(0, 60);
    const host = { used: at.map((s) => (s < 10 ? 2460 : s < 50 ? 2720 : 2522)) };
    const found = leak(drawRecording({ at, host, run: { subject: 'import' } }));
    expect(found.shelf).toMatchObject({ verdict: 'leak', leakedBytes: 62 * MiB });
  });

  it('are taken a second before the first line of a log, when its program was not yet there', () => {
    const at = moments(0, 30);
    const used = at.map((s) => (s < 4.8 ? 2460.8 : s < 25 ? 2720 : 2522.6));
    const marks = ['start@5', 'end@25'];
    const of = (subject: 'import' | 'command') =>
      leak(drawRecording({ at, host: { used }, marks, run: { subject } })).shelf!;
    const shelf = of('import');
    expect(shelf.verdict).toBe('leak');
    expect(shelf.leakedBytes! / MiB).toBeCloseTo(61.8, 5);
    expect(shelf.before!.toSeconds).toBeLessThanOrEqual(-1);
    // What we started ourselves was not there before its start.
    expect(of('command')).toMatchObject({ verdict: 'inconclusive' });
  });

  it("do not blame the workload for another's process", () => {
    const at = moments(0, 15);
    const processes = [{ pid: 1, role: 'main', rss: at.map((s) => (s > 2 && s < 12 ? 50 : null)) }];
    const held = (s: number) => (s > 6 ? 1500 : 1000);
    const found = leak(drawRecording({ at, host: machine(at, held), processes, marks: MARKS }));
    expect(found.shelf).toMatchObject({ verdict: 'bounded', by: 'processes', leakedBytes: 0 });
  });
});

/** Long enough that growth is no loading: 400 s. */
const minutes = Array.from({ length: 2000 }, (_, i) => i * 0.2);

describe('trends', () => {
  const at = moments(0, 40);
  const iterations = Array.from({ length: 120 }, (_, i) => `iteration ${i + 1}@${2 + i * 0.3}`);
  const random = new Random(7);
  const noise = at.map(() => random.normal() * 0.05);
  const drawn = (pss: (s: number) => number, rss = pss, marks: readonly string[] = iterations) =>
    drawRecording({
      at,
      marks: ['start@0', ...marks, 'end@40'],
      processes: [
        { pid: 1, role: 'main', rss: at.map(() => 300), pss: at.map(() => 200) },
        ...[2, 3].map((pid) => ({
          pid,
          role: `data loader ${pid - 1}`,
          rss: at.map((s, i) => rss(s) + noise[i]!),
          pss: at.map((s, i) => pss(s) + noise[i]!),
        })),
      ],
    });

  it('name the role that leaks, its measure and its size', () => {
    const recording = drawn(
      (s) => 100 + s * 2,
      () => 400,
    );
    const found = leak(recording);
    expect(found).toMatchObject({ verdict: 'leak', rule: 'grows while it runs' });
    expect(found.culprit).toMatchObject({ role: 'data loader', members: 2, measure: 'PSS' });
    expect(found.trend!.slope.bytes / MiB).toBeCloseTo(1.2, 1);
    expect(leakSentence(report(recording))).toMatch(
      /^Leak: \+1\.\d+ MiB\/iteration in 2 data loaders \(PSS; RSS flat\)\.$/,
    );
  });

  it('are told over time where there are no iterations', () => {
    const rss = minutes.map((s) => 300 + s / 2);
    const found = leak(drawRecording({ at: minutes, processes: [{ pid: 1, role: 'main', rss }] }));
    expect(found.trend).toMatchObject({ verdict: 'leak', over: 'time' });
    expect(found.trend!.slope.bytes / MiB).toBeCloseTo(0.5, 1);
  });

  it('do not take loading for a leak', () => {
    // Libraries coming in evenly for the whole of a short run, weights for minutes.
    const short = leak(drawn((s) => 100 + s, undefined, []));
    expect(short.trend!.because).toContain('it may be loading');
    const rss = minutes.map((s) => 1000 + 100 * s);
    const weights = drawRecording({ at: minutes, processes: [{ pid: 1, role: 'main', rss }] });
    expect(leak(weights).verdict).not.toBe('leak');
    expect(leak(drawn((s) => 1 + s * 60, undefined, [])).verdict).not.toBe('leak');
    const load = (s: number) => 50 + 100 * Math.min(s, 25);
    expect(leak(drawn(load, undefined, [])).verdict).not.toBe('leak');
  });

  it('call what was flat in the end a plateau, and what never grew bounded', () => {
    const step = (s: number) => (s < 12 ? 100 : 400);
    expect(leak(drawn(step)).trend!.verdict).toBe('plateau');
    expect(leak(drawn(() => 100)).trend!.verdict).toBe('bounded');
    expect(leakSentence(report(drawn(() => 100)))).toMatch(/^No leak: /);
  });

  it('leave few iterations in a short run open', () => {
    const few = drawRecording({
      at: moments(0, 3),
      marks: ['start@0', 'iteration 1@1', 'iteration 2@2', 'end@3'],
      processes: [{ pid: 1, role: 'main', rss: moments(0, 3).map((s) => 50 + 10 * s) }],
    });
    expect(leak(few)).toMatchObject({ verdict: 'inconclusive' });
    expect(leakSentence(report(few))).toMatch(/cannot be told/);
  });

  it('are what a plot shows, whatever the headline is', () => {
    const host = machine(minutes, () => 4000)!;
    const pss = minutes.map((s) => 500 + s);
    const processes = [{ pid: 1, role: 'main', rss: minutes.map(() => 900), pss }];
    const marks = ['start@0', 'end@400'];
    const told = report(drawRecording({ at: minutes, host, processes, marks }));
    expect(told.leak.trend).toMatchObject({ verdict: 'leak', series: 'tree.pss' });
    expect(defaultSeries(told)).toEqual(['tree.pss']);
    expect(defaultSeries({ ...told, headline: { ...told.headline!, series: 'tree.rss' } })).toEqual(
      ['tree.pss'],
    );
  });

  it('tell when memory is full', () => {
    const host = machine(minutes, () => 1000)!;
    const processes = [{ pid: 1, role: 'main', rss: minutes.map((s) => 500 + s) }];
    const marks = ['start@0', 'end@400'];
    const found = leak(drawRecording({ at: minutes, host, processes, marks }));
    expect(found.trend!.exhausts).toBe('machine');
    expect(found.trend!.exhaustionSeconds).toBeCloseTo(15_000, -3);
  });

  it("find a server's 50 MB in a day", () => {
    const day = Array.from({ length: 8640 }, (_, i) => i * 10);
    const jitter = new Random(1);
    const rss = day.map((s) => 2000 + (47.7 * s) / 86_400 + jitter.normal() * 4);
    const found = leak(drawRecording({ at: day, processes: [{ pid: 1, role: 'main', rss }] }));
    expect(found.verdict).toBe('leak');
    expect(found.trend!.perHourBytes! / MiB).toBeCloseTo(2, 0);
  });
});

describe('an empty recording', () => {
  it('has no verdict, and both reports say so', () => {
    const nothing = report(drawRecording({}));
    expect(nothing.leak).toMatchObject({ verdict: 'inconclusive', shelf: null, trend: null });
    expect(reportText(nothing)).toMatch(/neither a process nor the host was sampled/);
    expect(reportMarkdown(nothing)).toMatch(/### Leak/);
  });
});

describe('repeats', () => {
  const left = (leaked: number) =>
    ({ leakedBytes: leaked * MiB, beforeBytes: 0, afterBytes: leaked * MiB }) as Shelf;

  it('average what each run left, with an interval', () => {
    const told = leakPerRun([left(56), left(57), left(58), null]);
    expect(told).toMatchObject({ judgement: 'leak', told: 3, runs: 4, leakedBytes: 57 * MiB });
    expect((told.highBytes! - told.leakedBytes!) / MiB).toBeCloseTo(4.303 / Math.sqrt(3), 2);
  });

  it('find nothing in what is nothing, and tell nothing from one run', () => {
    expect(leakPerRun([left(0.1), left(-0.1), left(0)]).judgement).toBe('bounded');
    expect(leakPerRun([left(57)])).toMatchObject({ judgement: 'inconclusive', leakedBytes: null });
  });
});
