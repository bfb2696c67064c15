import * as tf from '@tensorflow/tfjs-core';
import type * as tfl from '@tensorflow/tfjs-layers';
import type { Batch } from './batches.ts';
import { batchOf, randomBatches } from './batches.ts';
import { type DigitSet, generateDigits } from './digits.ts';
import { type Activations, createLeNet, forward } from './model.ts';
import type { Options } from './options.ts';
import { createRandom } from './random.ts';

const TRAINING_DIGITS = 2000;
const HELD_OUT_DIGITS = 200;
const HELD_OUT_BATCH = 50;
const LEARNING_RATE = 0.01;
const MOMENTUM = 0.9;

interface Remembered {
  readonly batch: Batch;
  readonly activations: Activations;
  readonly loss: tf.Scalar;
}

/** Trains a LeNet on generated digits, a step at a time, and tests it on digits kept aside. */
export class Solver {
  readonly model: tfl.Sequential;
  readonly optimizer = tf.train.momentum(LEARNING_RATE, MOMENTUM);
  readonly #variables: tf.Variable[];
  readonly #batches: Generator<Batch>;
  readonly #heldOut: DigitSet;
  readonly #history: Remembered[] | null;
  readonly #iterations: number;
  #iteration = 0;

  constructor(options: Pick<Options, 'iterations' | 'batch' | 'seed' | 'leak'>) {
    this.#iterations = options.iterations;
    const random = createRandom(options.seed);
    const digits = generateDigits(TRAINING_DIGITS, random);
    this.#heldOut = generateDigits(HELD_OUT_DIGITS, random);
    this.#batches = randomBatches(digits, options.batch, random);
    this.model = createLeNet(options.seed);
    this.#variables = this.model.trainableWeights.map((weight) => weight.read() as tf.Variable);
    this.#history = options.leak ? [] : null;
  }

  /** One iteration: the loss of the next batch, before the weights are changed by it. */
  step(): number {
    const batch = this.#batches.next().value as Batch;
    // Caffe's policy "poly": small batches only settle when the last steps are small.
    const left = Math.max(0, 1 - this.#iteration / this.#iterations);
    this.optimizer.setLearningRate(LEARNING_RATE * left);
    this.#iteration++;
    let activations: Activations = new Map();
    const loss = this.optimizer.minimize(
      () => {
        activations = forward(this.model, batch.images);
        // The bug of --leak: kept for statistics that nobody draws, and never disposed of.
        if (this.#history !== null) activations.forEach(tf.keep);
        return tf.losses.softmaxCrossEntropy(batch.labels, activations.get('ip2')!) as tf.Scalar;
      },
      true,
      this.#variables,
    )!;
    const value = loss.dataSync()[0]!;
    if (this.#history !== null) this.#history.push({ batch, activations, loss });
    else tf.dispose([batch.images, batch.labels, loss]);
    return value;
  }

  /** The part of the digits kept aside that the net tells right. */
  accuracy(): number {
    let right = 0;
    for (let start = 0; start < HELD_OUT_DIGITS; start += HELD_OUT_BATCH) {
      const indexes = Array.from({ length: HELD_OUT_BATCH }, (_, i) => start + i);
      tf.tidy(() => {
        const { images } = batchOf(this.#heldOut, indexes);
        const probabilities = this.model.predictOnBatch(images) as tf.Tensor2D;
        const guesses = tf.argMax(probabilities, 1).dataSync();
        for (const [i, index] of indexes.entries()) {
          if (guesses[i] === this.#heldOut.labels[index]) right++;
        }
      });
    }
    return right / HELD_OUT_DIGITS;
  }

  dispose(): void {
    this.model.dispose();
    this.optimizer.dispose();
  }
}
