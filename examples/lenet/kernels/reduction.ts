import * as tf from '@tensorflow/tfjs-core';
import type { Call } from './registry.ts';
import { floats, result } from './registry.ts';

/** Sums over the leading axes, which is the gradient of a bias; other sums are the original's. */
export function sum(call: Call): tf.TensorInfo | null {
  const { x } = call.inputs;
  const values = floats(call, x);
  if (!x || values === null) return null;
  const { axis, keepDims } = call.attrs as { axis: number | number[]; keepDims?: boolean };
  const axes = tf.util.parseAxisParam(axis, x.shape).sort((p, q) => p - q);
  if (axes.length === 0 || axes.some((value, index) => value !== index)) return null;

  const rest = x.shape.slice(axes.length);
  const columns = tf.util.sizeFromShape(rest);
  const sums = new Float64Array(columns);
  for (let at = 0; at < values.length; at += columns) {
    for (let j = 0; j < columns; j++) sums[j]! += values[at + j]!;
  }
  const shape = keepDims ? [...axes.map(() => 1), ...rest] : rest;
  return result(call, shape, Float32Array.from(sums));
}
