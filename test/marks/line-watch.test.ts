import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LineMark } from '../../src/formats/log-lines/index.ts';
import { IterationCount } from '../../src/model/iteration-count.ts';
import { LineWatch } from '../../src/record/log/line-watch.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A stream whose pieces come at given milliseconds. */
function watch() {
  let now = 0;
  const kept: { at: number; mark: LineMark }[] = [];
  const count = new IterationCount();
  const lines = new LineWatch(
    [],
    (mark) => {
      if (mark.kind === 'iteration') count.add(mark.iteration);
      if (!mark.uncertain) kept.push({ at: now - (mark.ageNs ?? 0) / 1e6, mark });
    },
    () => now,
  );
  const at = (ms: number, text: string) => {
    vi.advanceTimersByTime(ms - now);
    now = ms;
    lines.take(Buffer.from(text));
  };
  return { at, lines, kept, count, seen: () => kept.map(({ at, mark }) => [mark.iteration, at]) };
}

const step = (n: number, total = 1000) => `step ${n}/${total} loss: 0.5\n`;

describe('what one stream prints', () => {
  it('is timed when it comes', () => {
    const { at, seen } = watch();
    at(100, step(1));
    at(200, step(2));
    expect(seen()).toEqual([
      [1, 100],
      [2, 200],
    ]);
  });

  it('is timed when a bar was painted, not when it was painted over', () => {
    const { at, seen, lines } = watch();
    const bar = (n: number) => `\r ${n}%|█ | ${n}/100 [00:10<00:12,  4.5it/s]`;
    at(0, bar(0));
    at(10_000, bar(1));
    at(20_000, `${bar(2)}\x1b[A`);
    at(30_000, `\n${bar(3)}`);
    at(31_000, '\n');
    lines.end();
    expect(seen().slice(1)).toEqual([
      [1, 10_000],
      [2, 20_000],
      [3, 30_000],
    ]);
  });

  it('counts all, but keeps only the last of those that come at once', () => {
    const { at, seen, count } = watch();
    at(100, Array.from({ length: 50 }, (_, i) => step(i + 1)).join(''));
    expect(seen()).toEqual([[50, 100]]);
    expect(count.done).toBe(50);
  });

  it('does not date iterations of an epoch that was over by then', () => {
    const { at, kept, count } = watch();
    const epoch = (n: number) => `Epoch ${n}\n${[1, 2, 3].map((i) => step(i)).join('')}`;
    at(100, epoch(1) + epoch(2));
    expect(kept.map(({ mark }) => mark.name)).toEqual(['epoch 1', 'epoch 2', 'iteration 3']);
    expect(kept.at(-1)!.mark.epoch).toBe(2);
    expect(count.done).toBe(6);
    at(200, `${step(4)}Epoch 3\n`);
    expect(kept.slice(3).map(({ mark }) => [mark.name, mark.epoch])).toEqual([
      ['iteration 4', 2],
      ['epoch 3', 3],
    ]);
  });

  it('keeps all that state their time, as many as can matter', () => {
    const { at, kept, lines, count } = watch();
    const line = (n: number) =>
      `I0426 11:53:29.${String(n).padStart(6, '0')} 7 s.cpp:2] Iteration ${n}, loss = 1\n`;
    at(100, Array.from({ length: 1500 }, (_, i) => line(i + 1)).join(''));
    expect(kept).toHaveLength(1500);
    expect(lines.thinned).toBe(0);
    at(101, Array.from({ length: 5000 }, (_, i) => line(i + 1501)).join(''));
    lines.end();
    expect(kept.length).toBeLessThan(2100);
    expect(kept.at(-1)!.mark).toMatchObject({ iteration: 6500, stamp: { style: 'glog' } });
    expect(count.done).toBe(6500);
    expect(lines.thinned).toBe(6500 - kept.length);
  });

  it('is thinned where it comes thick and fast: marks stay right, the count exact', () => {
    const { at, seen, count, lines } = watch();
    for (let i = 0; i < 20_000; i++) {
      at(i / 10, i % 5000 === 0 ? `Epoch ${i / 5000}\n` : step(i % 5000, 4999));
    }
    lines.end();
    const iterations = seen().filter(([n]) => n !== undefined);
    expect(iterations.length).toBeLessThan(450);
    expect(lines.thinned).toBeGreaterThan(19_000);
    // What is printed at 0.1 ms × i is iteration i of its epoch.
    for (const [n, ms] of iterations) expect(Math.round(ms! * 10) % 5000).toBe(n);
    expect(iterations[0]![0]).toBe(1);
    expect(iterations.at(-1)![0]).toBe(4999);
    expect(count.done).toBe(4 * 4999);
  });

  it('lets an idle program not wait for its last mark', () => {
    const { at, seen } = watch();
    at(0, step(1));
    at(1, step(2));
    expect(seen()).toHaveLength(1);
    vi.advanceTimersByTime(20);
    expect(seen().map(([n]) => n)).toEqual([1, 2]);
  });

  it('finds what else is said between iterations', () => {
    const { at, kept } = watch();
    at(0, `${step(1)}${step(2)}step 3/1000 CUDA out of memory. Tried to allocate 2.00 GiB\n`);
    at(10, `${step(4)}Iteration 5, Testing net (#0)\n`);
    expect(kept.map(({ mark }) => mark.kind)).toContain('oom');
  });
});
