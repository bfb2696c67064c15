import * as tf from '@tensorflow/tfjs-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useCpuBackend } from './backend.ts';
import { installKernels } from './kernels/overrides.ts';
import { LEAKED_BYTES_PER_IMAGE } from './options.ts';
import { Solver } from './solver.ts';

let restore: () => void;
beforeAll(async () => {
  await useCpuBackend();
  restore = installKernels();
});
afterAll(() => restore());

/** What is alive after each of some steps, from the one that creates the momentum on. */
function memoryOfSteps(leak: boolean): tf.MemoryInfo[] {
  const solver = new Solver({ iterations: 6, batch: 2, seed: 1, leak });
  const memory = Array.from({ length: 6 }, () => {
    solver.step();
    return tf.memory();
  });
  solver.dispose();
  return memory;
}

test('no tensor is left over by an iteration', () => {
  const memory = memoryOfSteps(false);
  expect(new Set(memory.map((info) => info.numTensors)).size).toBe(1);
  expect(new Set(memory.map((info) => info.numBytes)).size).toBe(1);
});

test('testing leaves no tensor over', () => {
  const solver = new Solver({ iterations: 1, batch: 2, seed: 1, leak: false });
  const before = tf.memory().numTensors;
  solver.accuracy();
  expect(tf.memory().numTensors).toBe(before);
  solver.dispose();
});

test('a solver leaves no tensor over once it is disposed of', () => {
  const before = tf.memory().numTensors;
  memoryOfSteps(false);
  // The momentum optimizer of TensorFlow.js forgets the scalar with the learning rate.
  expect(tf.memory().numTensors).toBeLessThanOrEqual(before + 1);
});

test('with leak, each iteration leaves what the help says', () => {
  const memory = memoryOfSteps(true);
  const loss = 4;
  // Flattening copies nothing, but TensorFlow.js counts the bytes of pool2 once more for it.
  const flattened = 2 * 4 * (4 * 4 * 50);
  for (let i = 1; i < memory.length; i++) {
    expect(memory[i]!.numTensors).toBeGreaterThan(memory[i - 1]!.numTensors);
    const bytes = memory[i]!.numBytes - memory[i - 1]!.numBytes;
    expect(bytes - flattened).toBe(2 * LEAKED_BYTES_PER_IMAGE + loss);
  }
});

test('the same seed gives the same losses, and another one others', () => {
  const losses = (seed: number) => {
    const solver = new Solver({ iterations: 3, batch: 4, seed, leak: false });
    const values = [solver.step(), solver.step(), solver.step()];
    solver.dispose();
    return values;
  };
  expect(losses(5)).toEqual(losses(5));
  expect(losses(5)).not.toEqual(losses(6));
});

test('the net learns', () => {
  const solver = new Solver({ iterations: 60, batch: 8, seed: 1, leak: false });
  for (let i = 0; i < 60; i++) solver.step();
  expect(solver.accuracy()).toBeGreaterThan(0.5);
  solver.dispose();
});
