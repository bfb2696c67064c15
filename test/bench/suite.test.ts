import { describe, expect, it } from 'vitest';
import { BENCHMARKS } from '../../bench/benchmarks.ts';
import { absent, type Benchmark, type Row, ratioAtMost, ratioWithin } from '../../bench/result.ts';
import { runAll, verdictOf } from '../../bench/suite.ts';
import { formatMarkdown, formatSummary } from '../../bench/table.ts';

const OPTIONS = { quick: true, full: false };

const benchmark = (name: string, run: () => Row[]): Benchmark => ({
  name,
  title: `about ${name}`,
  run: async () => run(),
});

const good = benchmark('good', () => [
  { what: 'detail', figure: '1 s' },
  { ...ratioAtMost('time', 'peer 1.0', '1 s', 0.5, 1), theirs: '2 s' },
  absent('time', 'other peer'),
]);
const over = benchmark('over', () => [ratioAtMost('time', 'peer 1.0', '3 s', 1.5, 1)]);
const broken = benchmark('broken', () => {
  throw new Error('no such program\nand a long stack');
});
const noisy = benchmark('noisy', () => [
  ratioWithin({ what: 'time', figure: '1 s' }, { ratio: 1.005, low: 0.99, high: 1.02 }, 1.01),
]);

const outcomesOf = (...all: Benchmark[]) => runAll(all, OPTIONS, () => {});

describe('a run of benchmarks', () => {
  it('goes on after one that fails, and says so at the end', async () => {
    const told: string[] = [];
    const outcomes = await runAll([broken, good], OPTIONS, (text) => told.push(text));
    expect(told.join('')).toMatch(
      /\[1\/2\] broken: about broken[\s\S]*FAILED: no such program after/,
    );
    expect(told.join('')).toMatch(/\[2\/2\] good: about good[\s\S]*good: done after/);
    const lines = formatSummary(outcomes).split('\n');
    expect(lines.find((line) => line.startsWith('broken'))).toMatch(
      /failed: no such program +FAILED/,
    );
    expect(verdictOf(outcomes)).toEqual({ text: '1 limit holds; failed: broken', exit: 3 });
  });

  it('ends with a status that tells the worst', async () => {
    expect(verdictOf(await outcomesOf(good)).exit).toBe(0);
    expect(verdictOf(await outcomesOf(good, noisy)).exit).toBe(4);
    expect(verdictOf(await outcomesOf(good, noisy, over)).exit).toBe(1);
    expect(verdictOf(await outcomesOf(over, broken)).exit).toBe(3);
  });

  it('stops between two when asked to', async () => {
    const outcomes = await runAll(
      [good, over],
      OPTIONS,
      () => {},
      () => true,
    );
    expect(outcomes).toEqual([]);
  });

  it('has what is held against a peer or a limit in its table, and absent peers by name', async () => {
    const text = formatSummary(await outcomesOf(good));
    expect(text).not.toMatch(/detail/);
    expect(text).toMatch(/good +time +1 s +peer 1\.0 +2 s +0\.500 +≤ 1× +PASS/);
    expect(text).toMatch(/good +time +other peer +absent: not compared$/m);
    const markdown = formatMarkdown(await outcomesOf(good, noisy)).split('\n');
    expect(markdown).toContain('| good | time | 1 s | peer 1.0 | 2 s | 0.500 | ≤ 1× | PASS |');
    expect(markdown).toContain(
      '| noisy | time | 1 s |  |  | 1.005 (0.990–1.020) | ≤ 1.01× | cannot tell |',
    );
  });

  it('judges an interval only where all of it says the same', () => {
    const judged = (low: number, high: number) =>
      ratioWithin({ what: 'x', figure: '' }, { ratio: (low + high) / 2, low, high }, 1.01).pass;
    expect(judged(0.99, 1.005)).toBe(true);
    expect(judged(1.02, 1.05)).toBe(false);
    expect(judged(1, 1.02)).toBe(null);
    expect(judged(Number.NaN, Number.NaN)).toBe(null);
  });

  it('knows each benchmark by a name of its own', () => {
    const names = BENCHMARKS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });
});
