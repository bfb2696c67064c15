import { expect, test } from 'vitest';
import { CLASSES, drawDigit, generateDigits, PIXELS, SIDE } from './digits.ts';
import { createRandom, shuffled } from './random.ts';

test('the same seed draws the same digits', () => {
  const digits = (seed: number) => generateDigits(20, createRandom(seed));
  expect(digits(3)).toEqual(digits(3));
  expect(digits(3)).not.toEqual(digits(4));
});

test('all the digits are drawn, about equally often', () => {
  const { labels } = generateDigits(1000, createRandom(1));
  for (let digit = 0; digit < CLASSES; digit++) {
    const count = labels.filter((label) => label === digit).length;
    expect(count).toBeGreaterThan(60);
    expect(count).toBeLessThan(150);
  }
});

test('every image has ink in the middle, paper at the rim, and values from 0 to 1', () => {
  const random = createRandom(2);
  for (let i = 0; i < 200; i++) {
    const image = new Float32Array(PIXELS);
    drawDigit(image, i % CLASSES, random);
    expect(image.every((value) => value >= 0 && value <= 1)).toBe(true);
    expect(image.filter((value) => value > 0.7).length).toBeGreaterThan(20);
    const corners = [0, SIDE - 1, PIXELS - SIDE, PIXELS - 1].map((at) => image[at]!);
    expect(Math.max(...corners)).toBeLessThan(0.5);
  }
});

test('a shuffle keeps every number once', () => {
  const order = shuffled(createRandom(9), 50);
  expect(order).not.toEqual([...order].sort((a, b) => a - b));
  expect(new Set(order)).toEqual(new Set(Array.from({ length: 50 }, (_, i) => i)));
});
