import * as tf from '@tensorflow/tfjs-core';
import type { Epilogue } from './epilogue.ts';
import { applyEpilogue, fusedEpilogue } from './epilogue.ts';
import { addProduct, rowMajor, transposed } from './gemm.ts';
import type { Call } from './registry.ts';
import { floats, result } from './registry.ts';

interface Transposes {
  readonly transposeA: boolean;
  readonly transposeB: boolean;
}

function multiply(call: Call, epilogue: (columns: number) => Epilogue | null) {
  const { a, b } = call.inputs;
  const { transposeA, transposeB } = call.attrs as Transposes;
  const left = floats(call, a);
  const right = floats(call, b);
  if (!a || !b || left === null || right === null) return null;

  const [aRows, aColumns] = lastTwo(a.shape);
  const [bRows, bColumns] = lastTwo(b.shape);
  const rows = transposeA ? aColumns : aRows;
  const depth = transposeA ? aRows : aColumns;
  const columns = transposeB ? bRows : bColumns;
  const after = epilogue(columns);
  if (after === null) return null;

  const aBatches = a.shape.slice(0, -2);
  const bBatches = b.shape.slice(0, -2);
  // One matrix against many is a matter of a step of zero; other broadcasts are the original's.
  const aCount = tf.util.sizeFromShape(aBatches);
  const bCount = tf.util.sizeFromShape(bBatches);
  if (aCount !== 1 && bCount !== 1 && !tf.util.arraysEqual(aBatches, bBatches)) return null;

  const batches = tf.backend_util.assertAndGetBroadcastShape(aBatches, bBatches);
  const count = tf.util.sizeFromShape(batches);
  const aSize = aCount === 1 ? 0 : aRows * aColumns;
  const bSize = bCount === 1 ? 0 : bRows * bColumns;
  const output = new Float32Array(count * rows * columns);
  for (let i = 0; i < count; i++) {
    addProduct(
      rows,
      columns,
      depth,
      left,
      transposeA ? transposed(aColumns, i * aSize) : rowMajor(aColumns, i * aSize),
      right,
      transposeB ? transposed(bColumns, i * bSize) : rowMajor(bColumns, i * bSize),
      output,
      i * rows * columns,
    );
  }
  applyEpilogue(output, columns, after);
  return result(call, [...batches, rows, columns], output);
}

function lastTwo(shape: readonly number[]): [number, number] {
  return [shape[shape.length - 2]!, shape[shape.length - 1]!];
}

export function batchMatMul(call: Call): tf.TensorInfo | null {
  return multiply(call, () => ({ bias: null, relu: false }));
}

export function fusedMatMul(call: Call): tf.TensorInfo | null {
  return multiply(call, (columns) => fusedEpilogue(call, columns));
}
