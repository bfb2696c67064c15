import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type LineMark, LineMarker, splitLines } from '../../src/formats/log-lines/index.ts';

/** Marks of bytes that a real library wrote (test/fixtures/programs/make-bars.py). */
function marksOf(name: string, chunk = 1 << 16): LineMark[] {
  const bytes = readFileSync(new URL(`../fixtures/log-lines/${name}`, import.meta.url));
  const splitter = splitLines();
  const marker = new LineMarker();
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += chunk) {
    lines.push(...splitter.push(bytes.subarray(at, at + chunk)));
  }
  return [...lines, ...splitter.end()].flatMap((line) => marker.feed(line));
}

const epochs = (marks: readonly LineMark[]) =>
  marks.filter(({ kind }) => kind === 'epoch').map(({ epoch }) => epoch);
const iterations = (marks: readonly LineMark[]) =>
  marks
    .filter(({ kind }) => kind === 'iteration')
    .map(({ epoch, iteration }) => [epoch, iteration]);
const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i);
const counted = (marks: readonly LineMark[], epoch: number | undefined) =>
  iterations(marks)
    .filter(([of, n]) => of === epoch && n !== 0)
    .map(([, n]) => n);

describe.each(['terminal', 'pipe'])('bars of real libraries, to a %s', (place) => {
  it('tqdm: a bar counts up to its end', () => {
    const seen = counted(marksOf(`tqdm-plain.${place}`), undefined) as number[];
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
    expect(seen.at(-1)).toBe(30);
    expect(seen.length).toBeGreaterThan(8);
  });

  it('tqdm: nested bars count within each epoch, whose own bar is no iteration', () => {
    for (const chunk of [1 << 16, 7]) {
      const marks = marksOf(`tqdm-nested.${place}`, chunk);
      expect(epochs(marks)).toEqual([0, 1, 2]);
      for (const epoch of [0, 1, 2]) expect(counted(marks, epoch)).toEqual(range(1, 8));
      expect(marks.findLast(({ kind }) => kind === 'iteration')?.value).toBe(0.125);
    }
  });

  it('tqdm: a validation is no training', () => {
    const marks = marksOf(`tqdm-validation.${place}`);
    expect(epochs(marks)).toEqual([0, 1]);
    for (const epoch of [0, 1]) expect(counted(marks, epoch)).toEqual(range(1, 8));
    expect(iterations(marks).every(([epoch]) => epoch !== undefined)).toBe(true);
  });

  it('tqdm: seldom repainted or endless, but not a download', () => {
    expect(counted(marksOf(`tqdm-slow.${place}`), undefined).at(-1)).toBe(200);
    expect(counted(marksOf(`tqdm-endless.${place}`), undefined).at(-1)).toBe(12);
    expect(marksOf(`tqdm-download.${place}`)).toEqual([]);
  });

  it('rich, in columns as Lightning has them: epochs, batches, loss', () => {
    const marks = marksOf(`rich-lightning.${place}`);
    // A pipe gets the last picture only.
    expect(epochs(marks)).toEqual(place === 'pipe' ? [2] : [0, 1, 2]);
    expect(counted(marks, 2)).toEqual(place === 'pipe' ? [8] : range(1, 8));
    expect(iterations(marks).every(([epoch, n]) => epoch !== undefined && n! <= 8)).toBe(true);
  });

  it('rich: what its label calls training; a percentage alone counts nothing', () => {
    expect(counted(marksOf(`rich-count.${place}`), undefined).at(-1)).toBe(9);
    expect(iterations(marksOf(`rich-count.${place}`)).some(([, n]) => n === 5)).toBe(
      place !== 'pipe',
    );
    expect(marksOf(`rich-percent.${place}`)).toEqual([]);
  });
});
