import type { MathBackendCPU } from '@tensorflow/tfjs-backend-cpu';
import * as tf from '@tensorflow/tfjs-core';

const BACKEND = 'cpu';

/** What a kernel is called with; the inputs an operation leaves out are undefined. */
export interface Call {
  readonly inputs: Readonly<Record<string, tf.TensorInfo | undefined>>;
  readonly attrs: unknown;
  readonly backend: MathBackendCPU;
}

/** Computes the result, or answers null for a case that it leaves to the original kernel. */
export type Kernel = (call: Call) => tf.TensorInfo | null;

/** Puts each kernel before the original of the same name. Returns what puts the originals back. */
export function overrideKernels(kernels: Readonly<Record<string, Kernel>>): () => void {
  const originals: tf.KernelConfig[] = [];
  for (const [name, kernel] of Object.entries(kernels)) {
    const original = tf.getKernel(name, BACKEND);
    if (original === undefined) throw new Error(`no kernel ${name} for the ${BACKEND} backend`);
    originals.push(original);
    replace({
      ...original,
      kernelFunc: (params) => {
        const { inputs, attrs } = params;
        const backend = params.backend as MathBackendCPU;
        return kernel({ inputs, attrs, backend }) ?? original.kernelFunc(params);
      },
    });
  }
  return () => originals.forEach(replace);
}

function replace(config: tf.KernelConfig): void {
  tf.unregisterKernel(config.kernelName, config.backendName);
  tf.registerKernel(config);
}

/** The elements of a float32 tensor, or null for a missing tensor or one of another type. */
export function floats(call: Call, info: tf.TensorInfo | undefined): Float32Array | null {
  if (info === undefined || info.dtype !== 'float32') return null;
  const values = call.backend.data.get(info.dataId).values;
  return values instanceof Float32Array ? values : null;
}

export function result(call: Call, shape: number[], values: Float32Array): tf.TensorInfo {
  return call.backend.makeTensorInfo(shape, 'float32', values);
}
