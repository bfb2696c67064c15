import * as tf from '@tensorflow/tfjs-core';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { useCpuBackend } from './backend.ts';
import { addProduct, rowMajor, transposed } from './kernels/gemm.ts';
import { installKernels } from './kernels/overrides.ts';
import { overrideKernels } from './kernels/registry.ts';
import { createRandom } from './random.ts';
import { Solver } from './solver.ts';

beforeAll(useCpuBackend);
beforeEach(() => tf.engine().startScope());
afterEach(() => tf.engine().endScope());

const random = createRandom(7);

function tensor(...shape: number[]): tf.Tensor {
  const size = tf.util.sizeFromShape(shape);
  return tf.tensor(
    Float32Array.from({ length: size }, () => 2 * random() - 1),
    shape,
  );
}

/** Small integers, so that windows have several largest pixels. */
function steps(...shape: number[]): tf.Tensor {
  return tf.floor(tf.mul(tensor(...shape), 3));
}

/** Computes with the originals and with the kernels installed, and compares all that comes out. */
function expectSame(compute: () => tf.Tensor[]): void {
  const expected = compute();
  const restore = installKernels();
  try {
    const actual = compute();
    expect(actual.map((t) => [t.shape, t.dtype])).toEqual(expected.map((t) => [t.shape, t.dtype]));
    actual.forEach((t, i) => {
      expectClose(t.dataSync(), expected[i]!.dataSync());
    });
  } finally {
    restore();
  }
}

function expectClose(actual: ArrayLike<number>, expected: ArrayLike<number>): void {
  expect(actual.length).toBe(expected.length);
  for (let i = 0; i < actual.length; i++) {
    const [a, e] = [actual[i]!, expected[i]!];
    // Sums in another order differ in the last bits of a float32.
    const close = Object.is(a, e) || Math.abs(a - e) <= 1e-4 * Math.max(1, Math.abs(e));
    if (!close) expect.fail(`element ${i}: ${a} instead of ${e}`);
  }
}

type Pad = 'same' | 'valid' | number | [number, number][];

interface ConvCase {
  readonly name: string;
  readonly x: number[];
  readonly filter: number[];
  readonly strides?: number | [number, number];
  readonly pad?: Pad;
  readonly rounding?: 'floor' | 'round' | 'ceil';
}

const CONVOLUTIONS: ConvCase[] = [
  { name: 'the first of LeNet', x: [2, 28, 28, 1], filter: [5, 5, 1, 20] },
  { name: 'the second of LeNet', x: [2, 12, 12, 20], filter: [5, 5, 20, 50] },
  { name: 'padding same', x: [3, 7, 9, 4], filter: [3, 3, 4, 5], pad: 'same' },
  {
    name: 'stride 2, padding same',
    x: [1, 8, 7, 3],
    filter: [3, 2, 3, 4],
    strides: 2,
    pad: 'same',
  },
  { name: 'uneven strides', x: [2, 9, 11, 2], filter: [2, 4, 2, 3], strides: [1, 3] },
  { name: 'strides beyond the filter', x: [1, 10, 10, 2], filter: [1, 2, 2, 3], strides: 3 },
  { name: 'a pad in pixels', x: [2, 6, 6, 3], filter: [3, 3, 3, 2], pad: 2 },
  {
    name: 'a pad that is cut by rounding',
    x: [1, 6, 7, 2],
    filter: [3, 3, 2, 2],
    strides: 2,
    pad: 1,
    rounding: 'floor',
  },
  {
    name: 'a pad of its own on each side',
    x: [1, 5, 6, 2],
    filter: [2, 3, 2, 4],
    pad: [
      [0, 0],
      [2, 0],
      [1, 3],
      [0, 0],
    ],
  },
  { name: 'a pad wider than the image', x: [1, 2, 2, 1], filter: [2, 2, 1, 2], pad: 4 },
  { name: 'a filter of one pixel', x: [2, 4, 4, 5], filter: [1, 1, 5, 7] },
  { name: 'a filter as large as the image', x: [2, 5, 5, 3], filter: [5, 5, 3, 6] },
];

describe('convolution', () => {
  test.each(CONVOLUTIONS)('$name', ({ x, filter, strides = 1, pad = 'valid', rounding }) => {
    const image = tensor(...x) as tf.Tensor4D;
    const weights = tensor(...filter) as tf.Tensor4D;
    const bias = tensor(filter[3]!) as tf.Tensor1D;
    const convolve = (a: tf.Tensor, b: tf.Tensor) =>
      tf.conv2d(
        a as tf.Tensor4D,
        b as tf.Tensor4D,
        strides,
        pad as 'same',
        'NHWC',
        undefined,
        rounding,
      );
    const gradient = tensor(...convolve(image, weights).shape);
    expectSame(() => [
      convolve(image, weights),
      ...tf.grads(convolve)([image, weights], gradient),
      ...(['linear', 'relu', 'elu'] as const).map((activation) =>
        tf.fused.conv2d({
          x: image,
          filter: weights,
          strides,
          pad: pad as 'same',
          dimRoundingMode: rounding,
          bias,
          activation,
        }),
      ),
      tf.fused.conv2d({
        x: image,
        filter: weights,
        strides,
        pad: pad as 'same',
        dimRoundingMode: rounding,
      }),
    ]);
  });

  test('one image without a batch', () => {
    const image = tensor(6, 6, 2) as tf.Tensor3D;
    const weights = tensor(3, 3, 2, 4) as tf.Tensor4D;
    expectSame(() => [tf.conv2d(image, weights, 1, 'same')]);
  });

  test('channels first, dilation and a bias for the whole are left to the originals', () => {
    const weights = tensor(3, 3, 2, 4) as tf.Tensor4D;
    const first = tensor(2, 2, 7, 7) as tf.Tensor4D;
    const last = tensor(2, 7, 7, 2) as tf.Tensor4D;
    const bias = tensor() as unknown as tf.Tensor1D;
    expectSame(() => [
      tf.conv2d(first, weights, 1, 'valid', 'NCHW'),
      tf.conv2d(last, weights, 1, 'same', 'NHWC', 2),
      tf.fused.conv2d({ x: last, filter: weights, strides: 1, pad: 'valid', bias }),
    ]);
  });
});

describe('product', () => {
  test.each([
    [1, 1, 1],
    [3, 2, 5],
    [4, 3, 8],
    [8, 500, 800],
    [65, 97, 257],
    [130, 5, 300],
  ])('%i x %i over %i, each operand transposed or not', (rows, columns, depth) => {
    const bias = tensor(columns);
    for (const transposeA of [false, true]) {
      for (const transposeB of [false, true]) {
        const a = transposeA ? tensor(depth, rows) : tensor(rows, depth);
        const b = transposeB ? tensor(columns, depth) : tensor(depth, columns);
        expectSame(() => [
          tf.matMul(a, b, transposeA, transposeB),
          tf.fused.matMul({ a, b, transposeA, transposeB, bias, activation: 'relu' }),
          tf.fused.matMul({ a, b, transposeA, transposeB, activation: 'sigmoid' }),
          ...tf.grads((p, q) => tf.matMul(p, q, transposeA, transposeB))([a, b]),
        ]);
      }
    }
  });

  test('batches of matrices', () => {
    const many = tensor(2, 3, 4, 5);
    expectSame(() => [
      tf.matMul(many, tensorLike(many, [2, 3, 5, 2])),
      tf.matMul(many, tensorLike(many, [5, 2])),
      tf.matMul(many, tensorLike(many, [1, 1, 5, 2])),
      tf.matMul(tensorLike(many, [6, 4]), many),
    ]);
  });

  test('integers are left to the originals', () => {
    const a = tf.tensor2d([1, 2, 3, 4], [2, 2], 'int32');
    expectSame(() => [tf.matMul(a, a)]);
  });

  test('a product is added to what is there, at an offset', () => {
    const a = Float32Array.of(1, 2, 3, 4);
    const c = Float32Array.of(9, 10, 20, 30, 40, 9);
    addProduct(2, 2, 2, a, rowMajor(2), a, transposed(2), c, 1);
    expect([...c]).toEqual([9, 15, 31, 41, 65, 9]);
  });
});

/** The same elements in both runs of a computation, in another shape. */
function tensorLike(source: tf.Tensor, shape: number[]): tf.Tensor {
  const size = tf.util.sizeFromShape(shape);
  return tf.reshape(tf.slice(tf.reshape(source, [-1]), 0, size), shape);
}

describe('pooling', () => {
  test.each<{
    name: string;
    x: number[];
    size: number | [number, number];
    strides: number | [number, number];
    pad: Pad;
  }>([
    { name: 'the first of LeNet', x: [2, 24, 24, 20], size: 2, strides: 2, pad: 'valid' },
    { name: 'overlapping windows', x: [2, 7, 8, 3], size: 3, strides: 1, pad: 'same' },
    { name: 'uneven windows', x: [1, 9, 7, 2], size: [3, 2], strides: [2, 3], pad: 'same' },
    { name: 'gaps between windows', x: [1, 9, 9, 2], size: 2, strides: 4, pad: 'valid' },
    { name: 'a pad in pixels', x: [2, 6, 6, 1], size: 3, strides: 2, pad: 1 },
    { name: 'windows of one pixel', x: [2, 4, 4, 3], size: 1, strides: 1, pad: 'valid' },
    { name: 'windows of one pixel in four', x: [2, 4, 4, 3], size: 1, strides: 2, pad: 'valid' },
  ])('$name', ({ x, size, strides, pad }) => {
    const pool = (a: tf.Tensor) => tf.maxPool(a as tf.Tensor4D, size, strides, pad as 'same');
    const gradient = (image: tf.Tensor) =>
      tf.grad(pool)(image, tensorLike(tf.concat([image, image]), pool(image).shape));
    for (const image of [tensor(...x), steps(...x), tf.neg(tf.onesLike(tensor(...x)))]) {
      expectSame(() => [pool(image), gradient(image)]);
    }
  });

  test('pixels that are not numbers', () => {
    const image = tf.tensor4d([Number.NaN, 1, Number.NaN, Number.NaN], [1, 2, 2, 1]);
    expectSame(() => [tf.maxPool(image, [1, 2], [1, 2], 'valid')]);
  });
});

describe('arithmetic', () => {
  test.each([
    [
      [3, 4],
      [3, 4],
    ],
    [[3, 4], [4]],
    [[4], [3, 4]],
    [[3, 4], []],
    [[], []],
    [
      [2, 3, 4],
      [1, 3, 4],
    ],
    [
      [2, 3, 4],
      [2, 1, 4],
    ],
    [
      [3, 1],
      [1, 4],
    ],
    [[1, 1], [3]],
    [[3], [1, 1]],
    [[1], [0]],
    [[0, 3], [3]],
  ])('%j and %j', (left, right) => {
    const a = tensor(...left);
    const b = tensor(...right);
    expectSame(() => [tf.add(a, b), tf.mul(a, b)]);
  });

  test('integers are left to the originals', () => {
    const a = tf.tensor1d([1, 2, 3], 'int32');
    expectSame(() => [tf.add(a, a), tf.mul(a, a)]);
  });
});

describe('reduction', () => {
  test.each<[number[], number[] | undefined]>([
    [
      [2, 3, 4, 5],
      [0, 1, 2],
    ],
    [
      [2, 3, 4, 5],
      [1, 0],
    ],
    [[2, 3, 4, 5], [-1]],
    [
      [2, 3, 4, 5],
      [0, 2],
    ],
    [[2, 3], undefined],
    [[2, 3], []],
    [[], undefined],
    [[0, 3], [0]],
  ])('%j over %j', (shape, axes) => {
    const x = tensor(...shape);
    expectSame(() => [tf.sum(x, axes), tf.sum(x, axes, true)]);
  });
});

test('a step of LeNet leaves no convolution, product or pooling to the originals', () => {
  const left: string[] = [];
  const names = [
    tf.Conv2D,
    tf.Conv2DBackpropFilter,
    tf.Conv2DBackpropInput,
    tf.FusedConv2D,
    tf.BatchMatMul,
    tf._FusedMatMul,
    tf.MaxPool,
    tf.MaxPoolGrad,
  ];
  const spy = (name: string) => () => {
    left.push(name);
    return null;
  };
  const unspy = overrideKernels(Object.fromEntries(names.map((name) => [name, spy(name)])));
  const restore = installKernels();
  const solver = new Solver({ iterations: 1, batch: 2, seed: 1, leak: false });
  solver.step();
  solver.dispose();
  restore();
  unspy();
  expect(left).toEqual([]);
});
