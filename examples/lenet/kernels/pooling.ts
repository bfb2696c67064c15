import * as tf from '@tensorflow/tfjs-core';
import type { ConvInfo } from './patches.ts';
import type { Call } from './registry.ts';
import { floats, result } from './registry.ts';

interface Window {
  readonly filterSize: [number, number] | number;
  readonly strides: [number, number] | number;
  readonly pad: 'valid' | 'same' | number | tf.backend_util.ExplicitPadding;
  readonly dimRoundingMode?: 'floor' | 'round' | 'ceil';
}

function poolInfo(shape: number[], attrs: unknown): ConvInfo {
  const { filterSize, strides, pad, dimRoundingMode } = attrs as Window;
  return tf.backend_util.computePool2DInfo(
    shape as [number, number, number, number],
    filterSize,
    strides,
    1,
    pad,
    dimRoundingMode,
  );
}

export function maxPool(call: Call): tf.TensorInfo | null {
  const { x } = call.inputs;
  const input = floats(call, x);
  if (!x || input === null) return null;
  const info = poolInfo(x.shape, call.attrs);
  // The original answers a window of one pixel with the input itself, which copies nothing.
  if (info.filterHeight === 1 && info.filterWidth === 1) return null;

  const output = new Float32Array(tf.util.sizeFromShape(info.outShape)).fill(-Infinity);
  const channels = info.inChannels;
  eachWindowPixel(info, (to, from) => {
    for (let c = 0; c < channels; c++) {
      if (input[from + c]! > output[to + c]!) output[to + c] = input[from + c]!;
    }
  });
  return result(call, info.outShape, output);
}

export function maxPoolGrad(call: Call): tf.TensorInfo | null {
  const { dy, input: x } = call.inputs;
  const input = floats(call, x);
  const gradient = floats(call, dy);
  if (!x || input === null || gradient === null) return null;
  const info = poolInfo(x.shape, call.attrs);

  // Each gradient goes to the first of the largest pixels in its window, as the original does.
  const size = tf.util.sizeFromShape(info.outShape);
  const largest = new Float32Array(size).fill(-Infinity);
  const source = new Int32Array(size).fill(-1);
  const channels = info.inChannels;
  eachWindowPixel(info, (to, from) => {
    for (let c = 0; c < channels; c++) {
      if (input[from + c]! > largest[to + c]!) {
        largest[to + c] = input[from + c]!;
        source[to + c] = from + c;
      }
    }
  });
  const output = new Float32Array(input.length);
  for (let i = 0; i < size; i++) {
    const to = source[i]!;
    if (to >= 0) output[to]! += gradient[i]!;
  }
  return result(call, x.shape, output);
}

/** Visits where the channels of each output pixel and of each input pixel in its window start. */
function eachWindowPixel(info: ConvInfo, visit: (to: number, from: number) => void): void {
  const { inHeight, inWidth, inChannels, outHeight, outWidth } = info;
  let to = 0;
  for (let image = 0; image < info.batchSize; image++) {
    for (let y = 0; y < outHeight; y++) {
      const top = y * info.strideHeight - info.padInfo.top;
      const rowEnd = Math.min(inHeight, top + info.filterHeight);
      for (let x = 0; x < outWidth; x++) {
        const left = x * info.strideWidth - info.padInfo.left;
        const columnEnd = Math.min(inWidth, left + info.filterWidth);
        for (let row = Math.max(0, top); row < rowEnd; row++) {
          for (let column = Math.max(0, left); column < columnEnd; column++) {
            visit(to, ((image * inHeight + row) * inWidth + column) * inChannels);
          }
        }
        to += inChannels;
      }
    }
  }
}
