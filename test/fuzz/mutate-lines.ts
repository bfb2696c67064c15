import type { Edit } from './target.ts';
import { otherNumber } from './values.ts';

/** Text of lines and columns that stays so: lines come twice, go, change places; a number becomes another. */

const NUMBER = /-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/gi;

const editLines =
  (change: (lines: string[], at: number, other: number) => void): Edit =>
  (bytes, random) => {
    const lines = Buffer.from(bytes).toString('utf8').split('\n');
    const place = () => Math.floor(random() * lines.length);
    change(lines, place(), place());
    return new TextEncoder().encode(lines.join('\n'));
  };

const editNumber: Edit = (bytes, random) => {
  const text = Buffer.from(bytes).toString('utf8');
  const found = [...text.matchAll(NUMBER)];
  if (found.length === 0) return bytes;
  const { 0: number, index } = found[Math.floor(random() * found.length)]!;
  const other = String(otherNumber(random, Number(number)));
  return new TextEncoder().encode(text.slice(0, index) + other + text.slice(index + number.length));
};

export const LINE_EDITS: readonly Edit[] = [
  editNumber,
  editNumber,
  editNumber,
  editNumber,
  editLines((lines, at, other) => lines.splice(at, 0, lines[other]!)),
  editLines((lines, at) => lines.splice(at, 1)),
  editLines((lines, at, other) => {
    [lines[at], lines[other]] = [lines[other]!, lines[at]!];
  }),
];
