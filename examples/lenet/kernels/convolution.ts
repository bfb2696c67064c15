import * as tf from '@tensorflow/tfjs-core';
import type { Epilogue } from './epilogue.ts';
import { applyEpilogue, fusedEpilogue } from './epilogue.ts';
import { addProduct, rowMajor, transposed } from './gemm.ts';
import type { ConvInfo } from './patches.ts';
import { gatherPatches, patchesSize, patchLength, scatterPatches } from './patches.ts';
import type { Call } from './registry.ts';
import { floats, result } from './registry.ts';
import { scratch } from './workspace.ts';

type Shape4D = [number, number, number, number];

interface Geometry {
  readonly strides: [number, number] | number;
  readonly pad: 'valid' | 'same' | number | tf.backend_util.ExplicitPadding;
  readonly dataFormat?: 'NHWC' | 'NCHW';
  readonly dilations?: [number, number] | number;
  readonly dimRoundingMode?: 'floor' | 'round' | 'ceil';
}

/** Null for the convolutions that the patches do not describe: channels first, dilated filters. */
function convInfo(inputShape: number[], filterShape: number[], attrs: unknown): ConvInfo | null {
  const { strides, pad, dataFormat, dilations, dimRoundingMode } = attrs as Geometry;
  if (dataFormat === 'NCHW') return null;
  const info = tf.backend_util.computeConv2DInfo(
    inputShape as Shape4D,
    filterShape as Shape4D,
    strides,
    dilations ?? 1,
    pad,
    dimRoundingMode,
  );
  return info.dilationHeight === 1 && info.dilationWidth === 1 ? info : null;
}

function convolve(call: Call, epilogue: (columns: number) => Epilogue | null) {
  const { x, filter } = call.inputs;
  const images = floats(call, x);
  const weights = floats(call, filter);
  if (!x || !filter || images === null || weights === null) return null;
  const info = convInfo(x.shape, filter.shape, call.attrs);
  const after = epilogue(filter.shape[3]!);
  if (info === null || after === null) return null;

  const pixels = info.outHeight * info.outWidth;
  const depth = patchLength(info);
  const columns = info.outChannels;
  const patches = scratch(patchesSize(info));
  const output = new Float32Array(info.batchSize * pixels * columns);
  for (let image = 0; image < info.batchSize; image++) {
    gatherPatches(images, image, info, patches);
    addProduct(
      pixels,
      columns,
      depth,
      patches,
      rowMajor(depth),
      weights,
      rowMajor(columns),
      output,
      image * pixels * columns,
    );
  }
  applyEpilogue(output, columns, after);
  return result(call, info.outShape, output);
}

export function conv2D(call: Call): tf.TensorInfo | null {
  return convolve(call, () => ({ bias: null, relu: false }));
}

export function fusedConv2D(call: Call): tf.TensorInfo | null {
  return convolve(call, (columns) => fusedEpilogue(call, columns));
}

export function conv2DBackpropFilter(call: Call): tf.TensorInfo | null {
  const { x, dy } = call.inputs;
  const { filterShape } = call.attrs as { filterShape: number[] };
  const images = floats(call, x);
  const gradient = floats(call, dy);
  if (!x || images === null || gradient === null) return null;
  const info = convInfo(x.shape, filterShape, call.attrs);
  if (info === null) return null;

  const pixels = info.outHeight * info.outWidth;
  const depth = patchLength(info);
  const columns = info.outChannels;
  const patches = scratch(patchesSize(info));
  const output = new Float32Array(depth * columns);
  for (let image = 0; image < info.batchSize; image++) {
    gatherPatches(images, image, info, patches);
    addProduct(
      depth,
      columns,
      pixels,
      patches,
      transposed(depth),
      gradient,
      rowMajor(columns, image * pixels * columns),
      output,
    );
  }
  return result(call, filterShape, output);
}

export function conv2DBackpropInput(call: Call): tf.TensorInfo | null {
  const { dy, filter } = call.inputs;
  const { inputShape } = call.attrs as { inputShape: number[] };
  const gradient = floats(call, dy);
  const weights = floats(call, filter);
  if (!filter || gradient === null || weights === null) return null;
  const info = convInfo(inputShape, filter.shape, call.attrs);
  if (info === null) return null;

  const pixels = info.outHeight * info.outWidth;
  const depth = patchLength(info);
  const columns = info.outChannels;
  const patches = scratch(patchesSize(info));
  const output = new Float32Array(tf.util.sizeFromShape(info.inShape));
  for (let image = 0; image < info.batchSize; image++) {
    patches.fill(0);
    addProduct(
      pixels,
      depth,
      columns,
      gradient,
      rowMajor(columns, image * pixels * columns),
      weights,
      transposed(columns),
      patches,
    );
    scatterPatches(patches, info, output, image);
  }
  return result(call, info.inShape, output);
}
