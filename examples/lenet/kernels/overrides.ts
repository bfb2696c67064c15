import * as tf from '@tensorflow/tfjs-core';
import { add, multiply } from './arithmetic.ts';
import { conv2D, conv2DBackpropFilter, conv2DBackpropInput, fusedConv2D } from './convolution.ts';
import { maxPool, maxPoolGrad } from './pooling.ts';
import { batchMatMul, fusedMatMul } from './product.ts';
import { sum } from './reduction.ts';
import { overrideKernels } from './registry.ts';

/**
 * Puts typed-array kernels before those of the cpu backend that take nearly all of the time of
 * a training: they are written for clarity, and some of them compute an index tuple per element.
 * Returns what puts the originals back.
 */
export function installKernels(): () => void {
  return overrideKernels({
    [tf.Conv2D]: conv2D,
    [tf.Conv2DBackpropFilter]: conv2DBackpropFilter,
    [tf.Conv2DBackpropInput]: conv2DBackpropInput,
    [tf.FusedConv2D]: fusedConv2D,
    [tf.BatchMatMul]: batchMatMul,
    [tf._FusedMatMul]: fusedMatMul,
    [tf.MaxPool]: maxPool,
    [tf.MaxPoolGrad]: maxPoolGrad,
    [tf.Add]: add,
    [tf.Multiply]: multiply,
    [tf.Sum]: sum,
  });
}
