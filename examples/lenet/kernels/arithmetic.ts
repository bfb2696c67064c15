import type { TensorInfo } from '@tensorflow/tfjs-core';
import type { Call } from './registry.ts';
import { floats, result } from './registry.ts';

type Combine = (long: Float32Array, short: Float32Array, output: Float32Array) => void;

/** Both operations commute, so the operand that repeats can always be the second. */
function combine(call: Call, into: Combine): TensorInfo | null {
  const { a, b } = call.inputs;
  const x = floats(call, a);
  const y = floats(call, b);
  if (!a || !b || x === null || y === null || x.length === 0) return null;
  if (repeatsIn(b.shape, a.shape)) {
    const output = new Float32Array(x.length);
    into(x, y, output);
    return result(call, a.shape, output);
  }
  if (repeatsIn(a.shape, b.shape)) {
    const output = new Float32Array(y.length);
    into(y, x, output);
    return result(call, b.shape, output);
  }
  return null;
}

/** Whether the elements of one shape, over and over, line up with those of the other: a bias. */
function repeatsIn(short: readonly number[], long: readonly number[]): boolean {
  if (short.length > long.length) return false;
  let first = 0;
  while (first < short.length && short[first] === 1) first++;
  const shift = long.length - short.length;
  for (let i = first; i < short.length; i++) {
    if (short[i] !== long[i + shift]) return false;
  }
  return true;
}

function addInto(long: Float32Array, short: Float32Array, output: Float32Array): void {
  const period = short.length;
  if (period === 1) {
    const value = short[0]!;
    for (let i = 0; i < output.length; i++) output[i] = long[i]! + value;
    return;
  }
  for (let at = 0; at < output.length; at += period) {
    for (let j = 0; j < period; j++) output[at + j] = long[at + j]! + short[j]!;
  }
}

function multiplyInto(long: Float32Array, short: Float32Array, output: Float32Array): void {
  const period = short.length;
  if (period === 1) {
    const value = short[0]!;
    for (let i = 0; i < output.length; i++) output[i] = long[i]! * value;
    return;
  }
  for (let at = 0; at < output.length; at += period) {
    for (let j = 0; j < period; j++) output[at + j] = long[at + j]! * short[j]!;
  }
}

export function add(call: Call): TensorInfo | null {
  return combine(call, addInto);
}

export function multiply(call: Call): TensorInfo | null {
  return combine(call, multiplyInto);
}
