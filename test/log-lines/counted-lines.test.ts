import { describe, expect, it } from 'vitest';
import { LineMarker } from '../../src/formats/log-lines/index.ts';

/** What forty lines count: the first letter of each mark's kind with its number. */
function counted(line: (i: number) => string, options = { counts: true }): string[] {
  const marker = new LineMarker(options);
  return Array.from({ length: 40 }, (_, i) => line(i + 1)).flatMap((text) => {
    const next = marker.next(text);
    if (next !== null) return [`i${next}`];
    return marker.feed(text).map(({ kind, iteration }) => `${kind[0]}${iteration}`);
  });
}

describe('lines that count in words of their own', () => {
  it.each<[string, (i: number) => string, string]>([
    ['by hundreds', (i) => `[INFO] indexing, ${i * 100} documents handed over`, 'c4000'],
    ['beside other figures', (i) => `worker 17 did request ${i} in ${i % 7}.5 ms`, 'c40'],
    ['beside words that change', (i) => `${i}/50 digest a${(i * 7919).toString(16)}f`, 'c40'],
    ['after a time', (i) => `2026-11-17 22:00:${10 + i},123 seen ${i * 20} of 900`, 'c800'],
    [
      'in JSON',
      (i) => `{"level":30,"time":${1.7e12 + i * i},"msg":"done","id":${i * 30}}`,
      'c1200',
    ],
    ['and nothing else', (i) => `${i}`, 'c40'],
  ])('are counted %s', (_, line, last) => {
    const found = counted(line);
    expect(found.at(-1)).toBe(last);
    expect(found.length).toBeGreaterThan(30);
    expect(found.every((one) => one.startsWith('c'))).toBe(true);
    expect(counted(line, { counts: false })).toEqual([]);
  });

  it.each<[string, (i: number) => string]>([
    ['a clock', (i) => `12:00:${10 + i} at work`],
    ['seconds', (i) => `elapsed ${i}s`],
    ['a share', (i) => `progress ${i}%`],
    ['uneven figures', (i) => `resident ${1000 + i * i} kB`],
    ['the same figure', () => 'status 200'],
    ['other words each time', (i) => `[${i}/40] ${'abcdefghij'[i % 10]!.repeat(1 + (i % 3))}`],
    ['versions', (i) => `unpacking 1.2.${i}`],
  ])('are not %s', (_, line) => expect(counted(line)).toEqual([]));

  it('give way to iterations', () => {
    const found = counted((i) => (i % 2 ? `did ${i} things` : `iteration ${i}`));
    expect(found.filter((one) => one.startsWith('i'))).toHaveLength(20);
    expect(found.filter((one) => one.startsWith('c')).length).toBeLessThan(3);
  });

  it('are not looked for where the user says what to mark, nor while lines come too fast', () => {
    const marker = new LineMarker({ patterns: [/round (?<iteration>\d+)/], counts: true });
    const lines = Array.from({ length: 20 }, (_, i) => `did ${i} things`);
    expect(lines.flatMap((line) => marker.feed(line))).toEqual([]);
    const hasty = new LineMarker({ counts: true });
    hasty.comparesLines = false;
    expect(lines.flatMap((line) => hasty.feed(line))).toEqual([]);
  });
});
