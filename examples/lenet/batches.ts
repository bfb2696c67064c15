import * as tf from '@tensorflow/tfjs-core';
import type { DigitSet } from './digits.ts';
import { CLASSES, PIXELS, SIDE } from './digits.ts';
import type { Random } from './random.ts';
import { shuffled } from './random.ts';

/** Images and one-hot labels. Who takes a batch disposes of it. */
export interface Batch {
  readonly images: tf.Tensor4D;
  readonly labels: tf.Tensor2D;
}

export function batchOf(digits: DigitSet, indexes: readonly number[]): Batch {
  const count = indexes.length;
  const pixels = new Float32Array(count * PIXELS);
  const labels = new Float32Array(count * CLASSES);
  indexes.forEach((index, i) => {
    pixels.set(digits.pixels.subarray(index * PIXELS, (index + 1) * PIXELS), i * PIXELS);
    labels[i * CLASSES + digits.labels[index]!] = 1;
  });
  return {
    images: tf.tensor4d(pixels, [count, SIDE, SIDE, 1]),
    labels: tf.tensor2d(labels, [count, CLASSES]),
  };
}

/** Goes through the digits for ever, in a new order each time. */
export function* randomBatches(digits: DigitSet, size: number, random: Random): Generator<Batch> {
  let order: number[] = [];
  for (;;) {
    while (order.length < size) order = order.concat(shuffled(random, digits.count));
    yield batchOf(digits, order.slice(0, size));
    order = order.slice(size);
  }
}
