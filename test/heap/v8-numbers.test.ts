import { describe, expect, it } from 'vitest';
import { FormatError } from '../../src/base/errors.ts';
import { NumberList } from '../../src/formats/v8-heap/numbers.ts';
import { random } from '../support/random.ts';

const WIDTH = 3;

interface Found {
  readonly numbers: readonly number[];
  /** Where each 41st record ends. */
  readonly places: readonly number[];
  readonly rows: number;
}

/** A place is found by looking through its piece, so that not all are asked for. */
const EVERY = 41;

/** A list read in pieces, from byte 1000 of its file on. */
function readList(text: string, piece = text.length): Found {
  const bytes = new TextEncoder().encode(text);
  const numbers: number[] = [];
  const places: number[] = [];
  const list = new NumberList('x', 'objects', WIDTH, (block, records, row, placeOf) => {
    expect(row * WIDTH).toBe(numbers.length);
    numbers.push(...block.subarray(0, records * WIDTH));
    for (let record = 0; record < records; record++) {
      if ((row + record) % EVERY === 0) places.push(placeOf(record));
    }
  });
  let taken = 0;
  for (let at = 0; at < bytes.length; at += piece) {
    const part = bytes.slice(at, at + piece);
    taken += list.take(part, 0, part.length, 1000 + at);
  }
  expect(taken).toBe(bytes.length);
  expect(list.done).toBe(true);
  return { numbers, places, rows: list.rows };
}

const refused = (text: string, piece?: number) => {
  try {
    readList(text, piece);
  } catch (error) {
    expect(error).toBeInstanceOf(FormatError);
    return (error as Error).message;
  }
  return null;
};

/** Numbers of every length, more than are handed on together, written in one of three ways. */
function written(seed: number, records: number) {
  const next = random(seed);
  const numbers = Array.from({ length: records * WIDTH }, () =>
    Math.floor(next() * 10 ** Math.floor(next() * 16)),
  );
  const ways = [',', '\n,', ', \n\t'];
  const places: number[] = [];
  let text = '[';
  numbers.forEach((number, i) => {
    text += `${number}`;
    if (i % (EVERY * WIDTH) === WIDTH - 1) places.push(1000 + text.length + 1);
    const isLast = i === numbers.length - 1;
    text += isLast ? ']' : ways[next() < 0.1 ? Math.floor(next() * 3) : seed % 3];
  });
  return { text, numbers, places };
}

describe('lists of numbers', () => {
  it('are those that were written, with the place of each record, in pieces of any size', () => {
    for (let seed = 1; seed <= 3; seed++) {
      const { text, numbers, places } = written(seed, 1500);
      for (const piece of [1, 7, 64, 1000, text.length]) {
        const found = readList(text, piece);
        expect(found.numbers, `seed ${seed}, pieces of ${piece}`).toEqual(numbers);
        expect(found.places, `seed ${seed}, pieces of ${piece}`).toEqual(places);
        expect(found.rows).toBe(1500);
      }
    }
  });

  it('may be empty, and hold numbers of fifteen digits', () => {
    expect(readList('[]').rows).toBe(0);
    expect(readList(' [ \n ]').rows).toBe(0);
    const long = '[999999999,1000000000,999999999999999]';
    expect(readList(long).numbers).toEqual([999_999_999, 1e9, 999_999_999_999_999]);
  });

  it('are refused at the byte where they are wrong, wherever pieces end', () => {
    const good = '12,345,6\n,'.repeat(1000);
    for (const piece of [3, 50, 100_000]) {
      const at = (text: string) => refused(`[${good}${text}]`, piece);
      const start = 1001 + good.length;
      expect(at('7,x,9')).toBe(
        `x, byte ${start + 2}: "x" among its objects, where a whole number belongs`,
      );
      expect(at('7,,9')).toMatch(`byte ${start + 2}: "," among`);
      expect(at('7,8,9,')).toMatch(`byte ${start + 6}: "]" among`);
      expect(at('7,8')).toBe(`x, byte ${start + 4}: the last of its objects is cut`);
      expect(at('7,1234567890123456,9')).toBe(`x, byte ${start + 19}: a number is too large`);
    }
  });

  it('tell what is wrong with a record before what is wrong behind it', () => {
    const list = new NumberList('x', 'objects', WIDTH, (block, records, _row, placeOf) => {
      for (let record = 0; record < records; record++) {
        if (block[record * WIDTH] === 13) throw new FormatError(`13 before ${placeOf(record)}`);
      }
    });
    const bytes = new TextEncoder().encode('[1,2,3,13,5,6,7,8,9,x]');
    expect(() => list.take(bytes, 0, bytes.length, 0)).toThrow('13 before 14');
  });
});
